/// A verified JWS. The conforming types have no public initializer and are not `Decodable`. Only a
/// ``ReceiptVerifier`` creates values, so every value was verified.
public protocol VerifiedJWS: SignedObject {
    /// The signed payload with its chain.
    var signed: SignedPayload { get }
}

extension VerifiedJWS {
    /// The kind of the trust anchor at the end of the chain.
    public var realm: TrustAnchorKind { signed.chain.realm }
    /// The chain, from the signer to the trust anchor.
    public var certificates: [CertificateFacts] { signed.chain.certificates }
    /// `signedDate`, or `receiptCreationDate` of an app transaction.
    public var verifiedAt: Timestamp { signed.payload.date }
    /// The result of the revocation checks.
    public var revocation: RevocationStatus { signed.chain.revocationStatus(at: verifiedAt) }
    /// `environment`, or `receiptType` of an app transaction. Nil if it is unknown.
    public var environment: ReceiptEnvironment? { signed.payload.environment }
    /// The bundle ID. Nil if the payload names none, as in renewal information and realtime requests.
    public var bundleID: String? { signed.payload.bundleID }
    /// `appAppleId`: the app's identifier in the App Store. Transactions and renewal information do not name
    /// it.
    public var appAppleID: Int64? { signed.payload.appAppleID }

    /// Checks that the object satisfies the policy. An object that names no app does not satisfy a policy
    /// that expects one.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id`, `wrong_environment` or `wrong_device`.
    public func require(_ policy: VerificationPolicy) throws(ReceiptError) {
        let payload = signed.payload
        try NamedOrigin(
            bundleID: (payload.bundleID, payload.bundleIDField),
            environment: (payload.environment, payload.environmentField),
            appAppleID: (
                payload.appAppleID, payload.appAppleID != nil, payload.appAppleIDField, payload.appAppleIDUse
            )
        ).require(policy)
        if let deviceID = policy.deviceID { try require(deviceID: deviceID) }
    }

    var members: SignedMembers { signed.payload.members }
}
