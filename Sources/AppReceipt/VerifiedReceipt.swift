public import ReceiptASN1

/// A receipt with a verified chain and signature. Rules and audits accept no other receipts.
///
/// It has no public initializer and is not `Decodable`. Only ``ReceiptVerifier/verify(_:for:)-([UInt8],_)``
/// creates one, so every value of this type was verified.
public struct VerifiedReceipt: Sendable {
    /// The signed payload.
    public let payload: ReceiptPayload

    // This member precedes members that are shorter than a reference, as in `JWSPayload`. `VerifiedObject`
    // then stores its case in spare bits of the reference. The bits after a shorter member would be
    // uninitialized, which valgrind reports.
    let chain: CertificateChain

    /// The digest algorithm of the signature.
    public let digestAlgorithm: DigestAlgorithm

    /// The deviations from DER that the reader accepted.
    public let leniencies: ASN1Leniencies

    /// The digest of the signed content, with ``digestAlgorithm``.
    let signedDigest: Digest

    /// The kind of the trust anchor at the end of the chain.
    public var realm: TrustAnchorKind { chain.realm }

    /// The chain, from the signer to the trust anchor.
    public var certificates: [CertificateFacts] { chain.certificates }

    /// The instant at which the chain was valid: the receipt's creation date.
    public var verifiedAt: Timestamp { payload.creationDate }

    /// The SHA-256 of the signed content, ``ReceiptPayload/bytes``, which identifies the receipt. Two
    /// containers with the same content are the same receipt, because only the content is signed.
    ///
    /// If ``digestAlgorithm`` is SHA-256, it is stored. Otherwise, each access computes it.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails, for example out of memory.
    public var contentDigest: [UInt8] {
        get throws(ReceiptError) {
            if digestAlgorithm == .sha256 { return signedDigest.bytes }
            return try chain.context.digest(.sha256, of: payload.bytes.span).bytes
        }
    }

    /// Checks that the receipt satisfies a policy as ``ReceiptVerifier/verify(_:for:)-([UInt8],_)`` does, for
    /// callers that verified it with a wider policy.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id`, `wrong_environment` or `wrong_device`.
    public func require(_ policy: VerificationPolicy) throws(ReceiptError) {
        // Creates no strings if there is nothing to compare.
        if policy.isAny { return }
        try NamedOrigin(
            bundleID: (payload.bundleID, "payload.bundle_id"),
            environment: (payload.environment, "payload.receipt_type"),
            appAppleID: (
                payload.storage.app.appItemID.flatMap { Int64(exactly: $0) },
                payload.storage.app.appItemID != nil, "payload.app_item_id", .besideBundleID
            )
        ).require(policy)
        if let deviceID = policy.deviceID { try require(deviceID: deviceID) }
    }

    /// Checks that the receipt is for this device. Attribute 5 must be the SHA-1 of the device ID, attribute
    /// 4 and the value bytes of attribute 2. The comparison takes constant time.
    /// - Parameter deviceID: the bytes of identifierForVendor's UUID; on a Mac, the bytes of the primary MAC
    ///   address.
    /// - Throws: ``ReceiptError`` with code `wrong_device`, also if the receipt lacks one of the attributes.
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

    /// Checks that the kind of trust anchor is allowed for the receipt.
    /// - Parameter isWrapped: whether the payload is wrapped twice, as only Xcode does.
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
