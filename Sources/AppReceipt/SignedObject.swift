/// A verified object: its signer, date, app and environment.
public protocol SignedObject: Sendable {
    /// The kind of the trust anchor at the end of the chain.
    var realm: TrustAnchorKind { get }
    /// The chain, from the signer to the trust anchor.
    var certificates: [CertificateFacts] { get }
    /// The instant at which the chain was valid.
    var verifiedAt: Timestamp { get }
    /// The result of the revocation checks.
    var revocation: RevocationStatus { get }
    /// The environment that the object names, or nil if it names none or an unknown one.
    var environment: ReceiptEnvironment? { get }

    /// Checks that the object satisfies the policy. An object that names no app does not satisfy a policy
    /// that expects one. The same applies to environments. ``VerificationPolicy/expecting(appAppleIDs:)``
    /// describes which kinds must name an `appAppleId`.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id`, `wrong_environment` or `wrong_device`.
    func require(_ policy: VerificationPolicy) throws(ReceiptError)
}

extension VerifiedReceipt: SignedObject {
    /// The environment of the receipt type, or nil if the type is absent or unknown.
    public var environment: ReceiptEnvironment? { payload.environment }
    /// The result of the revocation checks.
    public var revocation: RevocationStatus { chain.revocationStatus(at: verifiedAt) }
}
