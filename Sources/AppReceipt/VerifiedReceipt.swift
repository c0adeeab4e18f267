public import ReceiptASN1

/// A receipt whose chain and signature were checked: the only thing that rules and audits accept.
///
/// No initialiser is public and the type is not `Decodable`: only ``ReceiptVerifier/verify(_:for:)-([UInt8],_)``
/// makes one, so holding a value of this type is the proof.
public struct VerifiedReceipt: Sendable {
    /// What was signed.
    public let payload: ReceiptPayload

    // Before what is shorter than a reference, as in `JWSPayload`: `VerifiedObject` keeps its case in spare bits here, and
    // those behind something shorter have no value, of which valgrind warns.
    let chain: CertificateChain

    /// The digest algorithm of the signature.
    public let digestAlgorithm: DigestAlgorithm

    /// What the reader accepted although DER forbids it.
    public let leniencies: ASN1Leniencies

    /// Of the signed content, by ``digestAlgorithm``.
    private let signedDigest: Digest

    /// What kind of anchor the chain ends at.
    public var realm: TrustRealm { chain.realm }

    /// The chain, from the signer to the anchor.
    public var certificates: [CertificateFacts] { chain.certificates }

    /// The instant at which the chain was judged: the receipt's creation date.
    public var verifiedAt: Timestamp { payload.creationDate }

    /// SHA-256 of the signed content, ``ReceiptPayload/bytes``: the receipt's name. Two containers around the same
    /// content are the same receipt, whatever else stands in them, because nothing else is signed.
    ///
    /// Known from the verification where ``digestAlgorithm`` is SHA-256; computed each time where it is another.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails, for example out of memory.
    public var contentDigest: [UInt8] {
        get throws(ReceiptError) {
            if digestAlgorithm == .sha256 { return signedDigest.bytes }
            return try chain.context.digest(.sha256, of: payload.bytes.span).bytes
        }
    }

    init(
        payload: ReceiptPayload, chain: CertificateChain, digestAlgorithm: DigestAlgorithm,
        contentDigest: Digest, leniencies: ASN1Leniencies
    ) {
        self.payload = payload
        self.chain = chain
        self.digestAlgorithm = digestAlgorithm
        self.leniencies = leniencies
        signedDigest = contentDigest
    }
}

// MARK: - Demands

extension VerifiedReceipt {
    /// Fails unless the receipt is for this audience, as ``ReceiptVerifier/verify(_:for:)-([UInt8],_)`` does: for those
    /// who verified for a wider one.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id` or `wrong_environment`.
    public func require(_ audience: ReceiptAudience) throws(ReceiptError) {
        // Nobody needs the texts then.
        if audience.isAnyone { return }
        try NamedOrigin(
            bundleID: (payload.bundleID, "payload.bundle_id"),
            environment: (payload.environment, "payload.receipt_type"),
            appAppleID: (
                payload.storage.app.appItemID.flatMap { Int64(exactly: $0) },
                payload.storage.app.appItemID != nil, "payload.app_item_id", .besideBundleID
            )
        ).require(audience)
    }

    /// Fails unless the receipt was made for this device: SHA-1 of the device id, attribute 4 and the value
    /// bytes of attribute 2 must be attribute 5. Compared in constant time.
    /// - Parameter deviceID: the bytes of identifierForVendor's UUID; on a Mac, of the primary MAC address.
    /// - Throws: ``ReceiptError`` with code `wrong_device`, also where the receipt lacks one of the
    ///   attributes.
    public func require(deviceID: [UInt8]) throws(ReceiptError) {
        let storage = payload.storage
        guard let opaque = storage.app.opaqueValue.range, let bundle = storage.app.bundleIDValue.range,
            let expected = storage.app.sha1Hash.range
        else { throw .wrongDevice }
        let bytes = storage.bytes
        let digest = try chain.context.digest(
            .sha1, of: deviceID.span, bytes.span.extracting(opaque), bytes.span.extracting(bundle))
        guard digest.equals(bytes.span.extracting(expected)) else { throw .wrongDevice }
    }

    /// An anchor vouches for its realm alone. `isWrapped` tells the payload that only Xcode wraps twice.
    func checkRealm(isWrapped: Bool) throws(ReceiptError) {
        if realm == .storeKitTest && payload.environment != .xcode {
            throw ReceiptError(.untrustedChain, .realm(realm), field: "payload.receipt_type")
        }
        if realm != .storeKitTest && isWrapped {
            throw ReceiptError(
                .malformed, .encoding(.unexpectedTag(expected: .set, found: .octetString)), field: "payload")
        }
    }
}
