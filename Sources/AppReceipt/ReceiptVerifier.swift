import ReceiptASN1

/// Verifies receipts: untrusted bytes in, ``VerifiedReceipt`` or ``ReceiptError`` out.
///
/// Make one and use it from any number of threads: it keeps decoded anchors and the chains that were found
/// good, a few hundred kilobytes in all. It reads no clock, no file, no configuration and no network; the
/// certificates are judged at the receipt's own creation date, as Apple demands. What follows: whoever steals
/// an expired signing key can backdate, and only revocation, which is not offline, helps against that.
public final class ReceiptVerifier: Sendable {
    /// What a receipt may cost.
    public let limits: ReceiptLimits

    /// Whether OpenSSL's own PKCS #7 verification must agree before a receipt counts as verified.
    public let isCrossChecking: Bool

    /// The policy on SHA-1 signatures.
    public let sha1Signatures: SHA1Signatures

    let context: CryptoContext
    let anchors: AnchorStore
    let headers = HeaderCache()
    private let cache = ChainCache()
    let namedChains = NamedChainCache()

    /// - Parameters:
    ///   - anchors: the roots to trust.
    ///   - limits: what a receipt may cost.
    ///   - sha1Signatures: the policy on SHA-1 signatures.
    ///   - isCrossChecking: demand OpenSSL's second opinion on every receipt; some twenty times slower.
    /// - Throws: ``ReceiptError`` where an anchor is no certificate with an acceptable key, or OpenSSL fails.
    public init(
        anchors: TrustAnchors = .apple, limits: ReceiptLimits = ReceiptLimits(),
        sha1Signatures: SHA1Signatures = .untilAppleStopped, isCrossChecking: Bool = false
    ) throws(ReceiptError) {
        self.limits = limits
        self.sha1Signatures = sha1Signatures
        self.isCrossChecking = isCrossChecking
        context = try CryptoContext()
        self.anchors = try AnchorStore(
            anchors, signatureChecks: limits.signatureChecks, context: context)
    }

    /// Verifies a receipt in any ``InputEncoding``.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - audience: whose receipt it must be.
    /// - Throws: ``ReceiptError``; with code `wrong_bundle_id` or `wrong_environment` where the receipt is genuine and
    ///   not for that audience.
    public func verify(
        _ input: [UInt8], for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(container: InputEncoding.decode(input, limits: limits).der, for: audience)
    }

    /// Verifies a receipt in any ``InputEncoding``, in memory that may change meanwhile: a container is copied first,
    /// and what was checked is what is read.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - audience: whose receipt it must be.
    /// - Throws: ``ReceiptError``; with code `wrong_bundle_id` or `wrong_environment` where the receipt is genuine and
    ///   not for that audience.
    public func verify(
        _ input: Span<UInt8>, for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(container: InputEncoding.decode(input, limits: limits).der, for: audience)
    }

    /// How often the chain of a receipt or JWS was among those that were found good lately, and how often it had to be
    /// searched for: what a service watches, since a search takes some forty times as long.
    public var chainLookups: (found: Int, searched: Int) {
        // A header that was not seen lately may be over certificates that were.
        let (receipts, headers, named) = (
            cache.lookups.counts, headers.lookups.counts, namedChains.lookups.counts
        )
        return (receipts.found + headers.found + named.found, receipts.missed + named.missed)
    }

    /// SHA-256 of a container: the name that reports give a receipt. Nil where OpenSSL fails.
    public func sha256(of der: [UInt8]) -> [UInt8]? {
        sha256(of: der.span)
    }

    package func sha256(of bytes: Span<UInt8>) -> [UInt8]? {
        (try? context.digest(.sha256, of: bytes))?.bytes
    }

    /// Verifies a container that is not, or no longer, encoded as text.
    /// - Parameters:
    ///   - container: the DER or BER bytes.
    ///   - audience: whose receipt it must be.
    /// - Throws: ``ReceiptError``; with code `wrong_bundle_id` or `wrong_environment` where the receipt is genuine and
    ///   not for that audience.
    public func verify(
        container: [UInt8], for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedReceipt {
        let receipt = try verify(owned: container.span)
        try receipt.require(audience)
        return receipt
    }

    /// - Parameter bytes: nobody changes them: certificates, content and attributes are each read several times.
    private func verify(owned bytes: Span<UInt8>) throws(ReceiptError) -> VerifiedReceipt {
        guard bytes.count <= limits.inputBytes else { throw InputEncoding.tooLarge(limits) }
        let signedData: SignedData
        do throws(ASN1Error) {
            signedData = try SignedData(parsing: bytes, limits: limits)
        } catch {
            throw ReceiptError(error, resemblance: InputResemblance(bytes))
        }
        guard signedData.eContent.isChunked else {
            return try verify(signedData, of: bytes, content: bytes.extracting(signedData.eContent.content))
        }
        let joined = signedData.eContent.bytes(of: bytes)
        return try verify(signedData, of: bytes, content: joined.span)
    }

    private func verify(
        _ signedData: SignedData, of bytes: Span<UInt8>, content: Span<UInt8>
    ) throws(ReceiptError) -> VerifiedReceipt {
        let digest = try signedData.acceptableDigest()
        var payload: PayloadReader
        let creationDate: Timestamp
        do throws(ASN1Error) {
            payload = try PayloadReader(content, limits: limits)
            creationDate = try payload.creationDate()
        } catch {
            throw ReceiptError(payload: error, in: signedData.eContent, of: bytes)
        }

        let signer = try signedData.signer(in: bytes)
        let candidates = signedData.issuers(of: signer, in: bytes)
        let cached = cache.chain(from: signer, over: candidates, of: bytes, at: creationDate)
        let chain =
            if let cached { cached } else {
                try anchors.chain(signer: signer, candidates: candidates, of: bytes, at: creationDate)
            }
        // A good chain is worth remembering whatever it signed: the certificates of Apple's signers are public.
        if cached == nil { cache.insert(chain, from: signer, over: candidates, of: bytes, at: creationDate) }
        try sha1Signatures.check(
            digest, of: chain, offset: signedData.signerInfo.digestAlgorithm.offset,
            field: "signerInfos[0].digestAlgorithm")
        let contentDigest = try signedData.signerInfo.verify(content, of: bytes, with: chain, digest, context)
        if isCrossChecking {
            try anchors.secondOpinion(
                on: signedData, of: bytes, content: content, with: chain, at: creationDate)
        }

        // From here on the bytes are what a trusted authority signed.
        let storage: PayloadStorage
        do throws(ASN1Error) {
            storage = try payload.storage(creationDate)
        } catch {
            throw ReceiptError(payload: error, in: signedData.eContent, of: bytes)
        }
        let receipt = VerifiedReceipt(
            payload: ReceiptPayload(storage: storage), chain: chain, digestAlgorithm: digest,
            contentDigest: contentDigest, leniencies: signedData.leniencies.union(payload.leniencies))
        try receipt.checkRealm(isWrapped: payload.isWrapped)
        return receipt
    }
}

extension ReceiptError {
    /// A fault of the payload, with its place in the container.
    init(payload error: ASN1Error, in eContent: ASN1OctetString, of bytes: Span<UInt8>) {
        let offset = eContent.offset(ofByte: error.offset, in: bytes)
        self.init(error.moved(to: offset).within("payload"))
    }
}
