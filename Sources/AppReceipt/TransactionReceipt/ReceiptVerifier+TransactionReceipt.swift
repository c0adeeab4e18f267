import AppleRoots
import ReceiptASN1

/// Who issued the signers: the receipts do not say.
public struct TransactionReceiptIssuers: Sendable {
    let root: [UInt8]
    let versionTwo: [UInt8]
    let versionThree: [UInt8]
    /// What the root must be trusted as. Under a root of somebody else's there is no intermediate.
    let realm: TrustRealm

    /// Apple's two, under Apple Inc. Root; see `Certificates/SOURCES.md`.
    public static let apple = TransactionReceiptIssuers(
        root: AppleRoot.all[0].der, versionTwo: AppleIntermediate.iTunesStore.der,
        versionThree: AppleIntermediate.developerRelations.der, realm: .appStore)

    /// Of a test authority, in DER.
    public static func custom(root: [UInt8], versionTwo: [UInt8], versionThree: [UInt8]) -> Self {
        Self(root: root, versionTwo: versionTwo, versionThree: versionThree, realm: .custom)
    }
}

extension ReceiptVerifier {
    /// Verifies the property list of a `SKPaymentTransaction.transactionReceipt`.
    ///
    /// The receipt names no intermediate: Apple's two are embedded, so it can be verified under Apple's root alone.
    /// - Parameters:
    ///   - list: the property list itself.
    ///   - audience: whose it must be. Its environment is not signed, so it is of none.
    ///   - issuers: who issued the signers; others than Apple's are for tests.
    /// - Throws: ``ReceiptError``.
    public func verify(
        transactionReceipt list: [UInt8], for audience: ReceiptAudience,
        issuers: TransactionReceiptIssuers = .apple
    ) throws(ReceiptError) -> VerifiedTransactionReceipt {
        let bytes = list.span
        guard bytes.count <= limits.signedTextBytes else {
            throw ReceiptError(.tooLarge, .inputTooLarge(limit: limits.signedTextBytes))
        }
        let members = try PropertyList(parsing: bytes, field: "property list")
        let blob = try members.decoded("signature", of: bytes)
        let purchaseInfo = try members.decoded("purchase-info", of: bytes)
        let parts = try TransactionReceiptSignature(parsing: blob.span)
        let info = try PropertyList(parsing: purchaseInfo.span, field: "purchase-info")
        guard let text = info.range("purchase-date-ms").flatMap({ purchaseInfo.span.text($0) }),
            let date = Timestamp(millisecondsText: text)
        else {
            throw ReceiptError(
                .malformed, .transactionReceipt(.value), field: "purchase-info.purchase-date-ms")
        }

        let chain = try anchors.chain(ofTransactionReceipt: parts, blob, issuers, limits, at: date)
        let digest = try context.digest(.sha1, of: [parts.version.rawValue].span, purchaseInfo.span)
        guard try chain.verify(blob.span.extracting(parts.signature), of: digest, .sha1) else {
            throw ReceiptError(
                .badSignature, .signatureMismatch, offset: parts.signature.lowerBound, field: "signature")
        }
        // From here on purchase-info is what Apple signed.
        let receipt = try VerifiedTransactionReceipt(
            members: info.members.map { ($0.name, purchaseInfo.span.text($0.text) ?? "") },
            caveats: parts.version == .two ? [.rsa1024] : [], purchaseInstant: date, chain: chain)
        try receipt.require(audience)
        return receipt
    }
}

extension PropertyList {
    func decoded(_ name: String, of bytes: Span<UInt8>) throws(ReceiptError) -> [UInt8] {
        guard let range = range(name) else {
            throw ReceiptError(.malformed, .transactionReceipt(.memberMissing), field: name)
        }
        var fault = 0
        guard let decoded = StrictBase64.standard.decode(bytes.extracting(range), fault: &fault) else {
            throw ReceiptError(
                .malformed, .transactionReceipt(.base64), offset: range.lowerBound + fault, field: name)
        }
        return decoded
    }
}

extension AnchorStore {
    fileprivate func chain(
        ofTransactionReceipt parts: TransactionReceiptSignature, _ blob: [UInt8],
        _ issuers: TransactionReceiptIssuers, _ limits: ReceiptLimits, at date: Timestamp
    ) throws(ReceiptError) -> CertificateChain {
        let issuer = parts.version == .two ? issuers.versionTwo : issuers.versionThree
        let bytes = Array(blob[parts.certificate]) + issuer
        let signerRange = 0..<parts.certificate.count
        let signer: Certificate
        let intermediate: Certificate
        do throws(ASN1Error) {
            signer = try Certificate(
                whole: bytes.span, in: signerRange, maximumCount: limits.certificateBytes)
            intermediate = try Certificate(
                whole: bytes.span, in: signerRange.upperBound..<bytes.count, maximumCount: issuer.count)
        } catch {
            throw ReceiptError(
                error.moved(to: parts.certificate.lowerBound + error.offset).within("signature.certificate"))
        }
        guard let anchor = index(of: issuers.root.span, isStoreKitTest: false),
            list[anchor].realm == issuers.realm
        else { throw ReceiptError(.untrustedChain, .notAnAnchor, field: "signature.certificate") }
        do throws(ReceiptError) {
            return try chain(
                signer: signer, intermediate: intermediate, of: bytes.span, anchor: anchor,
                for: parts.version.purpose, at: date)
        } catch {
            throw error.at("signature.certificate")
        }
    }
}
