/// Whatever was verified: who signed it, when, and for which app and environment.
public protocol SignedObject: Sendable {
    /// What kind of anchor the chain ends at.
    var realm: TrustRealm { get }
    /// The chain, from the signer to the anchor.
    var certificates: [CertificateFacts] { get }
    /// The instant at which the chain was judged.
    var verifiedAt: Timestamp { get }
    /// Nil where what was signed names none, or one that nobody knows.
    var environment: ReceiptEnvironment? { get }

    /// Fails unless the object proves to be for this audience: what names no app is of none, and what names no
    /// environment likewise.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id` or `wrong_environment`.
    func require(_ audience: ReceiptAudience) throws(ReceiptError)
}

extension VerifiedReceipt: SignedObject {
    /// What the receipt type says; nil where it is absent or not settled.
    public var environment: ReceiptEnvironment? { payload.environment }
}

/// An app or an environment as what was signed names it, and where it does so.
struct NamedOrigin {
    var bundleID: (value: String?, field: String)
    var environment: (value: ReceiptEnvironment?, field: String)

    /// What nothing names fulfils no demand.
    func require(_ audience: ReceiptAudience) throws(ReceiptError) {
        guard audience.accepts(bundleID: bundleID.value) else {
            throw ReceiptError(
                .wrongBundleID, .bundleID(expected: audience.bundleIDs ?? [], found: bundleID.value),
                field: bundleID.field)
        }
        guard audience.environments.accepts(environment.value) else {
            throw ReceiptError(
                .wrongEnvironment,
                .environment(expected: audience.environments.named ?? [], found: environment.value),
                field: environment.field)
        }
    }
}
