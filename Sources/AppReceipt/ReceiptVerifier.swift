import CReceiptCrypto
import ReceiptASN1

/// A verifier of receipts. It turns untrusted input into ``VerifiedReceipt`` or throws ``ReceiptError``.
///
/// Create one verifier and use it from any number of threads. It keeps decoded trust anchors and verified
/// chains, a few hundred kilobytes in total. For at most sixteen keys that signed many JWS, it also keeps a
/// table of 150 KB each. It uses no clock, file, configuration or network.
///
/// Certificates must be valid at the receipt's own creation date, as Apple requires. An attacker who steals
/// an expired signing key can therefore backdate receipts. Only ``RevocationSettings`` prevent that, with lists
/// that the caller has obtained.
public final class ReceiptVerifier: Sendable {
    /// The limits on a receipt.
    public let limits: ReceiptLimits

    /// Whether OpenSSL's own PKCS #7 verification must agree before a receipt counts as verified.
    public let isCrossChecking: Bool

    /// The policy on SHA-1 signatures.
    public let sha1Signatures: SHA1Signatures

    /// Whether several RSA signatures are checked together. The results do not depend on it.
    public let checksSignaturesTogether: Bool

    let context: CryptoContext
    let anchors: AnchorStore
    /// The chains of recent JWS headers with valid signatures, by the exact text of the header.
    ///
    /// At a given time, the header alone determines the chain. It makes up nine tenths of a JWS, and is the same
    /// in every JWS of one certificate. Comparing it takes a hundredth of the time that parsing takes. A header
    /// is inserted only after its signature was verified, because attackers can write any number of headers with
    /// Apple's certificates.
    let headers = RecentCache<(header: [UInt8], chain: CertificateChain)>()
    private let cache = ChainCache()
    let namedChains = NamedChainCache()

    /// Creates a verifier.
    /// - Parameters:
    ///   - anchors: the trusted roots.
    ///   - limits: the limits on a receipt.
    ///   - sha1Signatures: the policy on SHA-1 signatures.
    ///   - revocation: the revocation lists and the distrust list, and their use.
    ///   - isCrossChecking: whether to cross-check every receipt with OpenSSL, which takes some twenty times
    ///     as long.
    ///   - checksSignaturesTogether: whether to check several RSA signatures together, if the processor
    ///     supports it. Turn it off only for comparison.
    /// - Throws: ``ReceiptError`` if an anchor is not a certificate with an acceptable key, or if OpenSSL
    ///   fails.
    public init(
        anchors: TrustAnchors = .apple, limits: ReceiptLimits = ReceiptLimits(),
        sha1Signatures: SHA1Signatures = .untilAppleStopped,
        revocation: RevocationSettings = RevocationSettings(), isCrossChecking: Bool = false,
        checksSignaturesTogether: Bool = true
    ) throws(ReceiptError) {
        self.limits = limits
        self.sha1Signatures = sha1Signatures
        self.isCrossChecking = isCrossChecking
        self.checksSignaturesTogether = checksSignaturesTogether && receipt_crypto_has_lanes()
        context = try CryptoContext()
        self.anchors = try AnchorStore(
            anchors, signatureChecks: limits.signatureChecks, revocation: revocation, context: context)
    }

    /// The revocation lists on which no result of this verifier rests so far, with the reasons.
    public var unusedRevocationLists: [(list: RevocationList, fault: RevocationListFault)] {
        anchors.revocations?.unused ?? []
    }

    /// The revocation lists that must not go unnoticed: those that are unusable, or all if no result rests on any. A folder of
    /// lists may have lists of other issuers, and old lists for old receipts.
    public var unusableRevocationLists: [(list: RevocationList, fault: RevocationListFault)] {
        let unused = unusedRevocationLists
        return unused.count == revocationListFaults.count ? unused : unused.filter(\.fault.isOfList)
    }

    /// The positions of the distrust list's entries that matched no certificate of a verified chain so far.
    public var unmatchedDistrustEntries: [Int] { anchors.revocations?.unmatchedEntries ?? [] }

    /// Verifies a receipt in any ``InputEncoding``.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Throws: ``ReceiptError``, with code `wrong_bundle_id`, `wrong_environment` or `wrong_device` if the
    ///   receipt is genuine but violates the policy.
    public func verify(
        _ input: [UInt8], for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(container: InputEncoding.decode(input, limits: limits).der, for: policy)
    }

    /// Verifies a receipt in any ``InputEncoding``, in memory that may change during the call. It copies the
    /// container first, so changes to that memory have no effect on the result.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Throws: ``ReceiptError``, with code `wrong_bundle_id`, `wrong_environment` or `wrong_device` if the
    ///   receipt is genuine but violates the policy.
    public func verify(
        _ input: Span<UInt8>, for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(container: InputEncoding.decode(input, limits: limits).der, for: policy)
    }

    /// The number of chains found in the caches, and the number of searches for a chain, for monitoring. A
    /// search takes some forty times as long as a lookup.
    public var chainLookups: (found: Int, searched: Int) {
        // A header that is not cached is not a miss yet, because its certificates may be cached.
        let (receipts, headers, named) = (
            cache.lookups, headers.lookups, namedChains.lookups
        )
        return (receipts.found + headers.found + named.found, receipts.missed + named.missed)
    }

    /// Returns the SHA-256 of a container, which identifies a receipt in reports, or nil if OpenSSL fails.
    public func sha256(of der: [UInt8]) -> [UInt8]? {
        sha256(of: der.span)
    }

    package func sha256(of bytes: Span<UInt8>) -> [UInt8]? {
        (try? context.digest(.sha256, of: bytes))?.bytes
    }

    /// Verifies a container that is not encoded as text.
    /// - Parameters:
    ///   - container: the DER or BER bytes.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Throws: ``ReceiptError``, with code `wrong_bundle_id`, `wrong_environment` or `wrong_device` if the
    ///   receipt is genuine but violates the policy.
    public func verify(
        container: [UInt8], for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedReceipt {
        let receipt = try authenticate(container: container.span)
        try receipt.require(policy)
        return receipt
    }

    /// Verifies that a container is genuine. The caller applies the verification policy.
    /// - Parameter bytes: the container. It must not change during the call, which reads certificates,
    ///   content and attributes several times.
    package func authenticate(container bytes: Span<UInt8>) throws(ReceiptError) -> VerifiedReceipt {
        try authenticate(unchecked(container: bytes), of: bytes)
    }

    /// Runs the checks that come before the signature.
    func unchecked(container bytes: Span<UInt8>) throws(ReceiptError) -> UncheckedReceipt {
        guard bytes.count <= limits.inputBytes else { throw InputEncoding.tooLarge(limits) }
        let signedData: SignedData
        do throws(ASN1Error) {
            signedData = try SignedData(parsing: bytes, limits: limits, known: cache.certificates)
        } catch {
            throw ReceiptError(error, resemblance: InputResemblance(bytes))
        }
        guard signedData.eContent.isChunked else {
            return try unchecked(
                signedData, of: bytes, content: bytes.extracting(signedData.eContent.content))
        }
        let joined = signedData.eContent.bytes(of: bytes)
        return try unchecked(signedData, of: bytes, content: joined.span)
    }

    private func unchecked(
        _ signedData: consuming SignedData, of bytes: Span<UInt8>, content: Span<UInt8>
    ) throws(ReceiptError) -> UncheckedReceipt {
        let digestAlgorithm = try signedData.acceptableDigest()
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
        // Caches a valid chain before the signature over the content is verified. Otherwise, each forged
        // receipt with the certificates of Apple's signers, which are public, would cost a search.
        if cached == nil { cache.insert(chain, from: signer, over: candidates, of: bytes, at: creationDate) }
        try chain.requireUnrevoked(at: creationDate, field: "certificates")
        try sha1Signatures.check(
            digestAlgorithm, of: chain, offset: signedData.signerInfo.digestAlgorithm.offset,
            field: "signerInfos[0].digestAlgorithm")
        let digests = try signedData.signerInfo.digests(
            of: content, in: bytes, with: chain, digestAlgorithm, context)
        return UncheckedReceipt(
            signedData: signedData, creationDate: creationDate, chain: chain,
            digestAlgorithm: digestAlgorithm,
            contentDigest: digests.content, signedDigest: digests.signed, leniencies: payload.leniencies)
    }

    /// Checks the signature of a receipt, then its payload and the trust anchor kind.
    /// - Parameters:
    ///   - bytes: the same container as before.
    ///   - isProven: whether the signature is proven to be valid.
    func authenticate(
        _ receipt: UncheckedReceipt, of bytes: Span<UInt8>, isProven: Bool = false
    ) throws(ReceiptError) -> VerifiedReceipt {
        if !isProven {
            try receipt.signedData.signerInfo.verify(
                receipt.signedDigest, of: bytes, with: receipt.chain, receipt.digestAlgorithm)
        }
        let eContent = receipt.signedData.eContent
        guard eContent.isChunked else {
            return try decode(receipt, of: bytes, content: bytes.extracting(eContent.content))
        }
        let joined = eContent.bytes(of: bytes)
        return try decode(receipt, of: bytes, content: joined.span)
    }

    private func decode(
        _ receipt: UncheckedReceipt, of bytes: Span<UInt8>, content: Span<UInt8>
    ) throws(ReceiptError) -> VerifiedReceipt {
        let (signedData, chain) = (receipt.signedData, receipt.chain)
        if isCrossChecking {
            try anchors.crossCheck(
                on: signedData, of: bytes, content: content, with: chain, at: receipt.creationDate)
        }

        // From here on, the bytes are known to be signed by a trusted authority.
        var payload: PayloadReader
        let storage: PayloadStorage
        do throws(ASN1Error) {
            payload = try PayloadReader(content, limits: limits)
            storage = try payload.storage(receipt.creationDate)
        } catch {
            throw ReceiptError(payload: error, in: signedData.eContent, of: bytes)
        }
        let verified = VerifiedReceipt(
            payload: ReceiptPayload(storage: storage), chain: chain, digestAlgorithm: receipt.digestAlgorithm,
            leniencies: signedData.leniencies.union(receipt.leniencies).union(payload.leniencies),
            signedDigest: receipt.contentDigest)
        try verified.checkRealm(isWrapped: payload.isWrapped)
        return verified
    }
}

extension ReceiptError {
    /// Creates an error for a fault of the payload, with its offset in the container.
    init(payload error: ASN1Error, in eContent: ASN1OctetString, of bytes: Span<UInt8>) {
        let offset = eContent.offset(ofByte: error.offset, in: bytes)
        self.init(error.moved(to: offset).within("payload"))
    }
}
