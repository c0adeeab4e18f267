/// A JWS payload whose chain and signature were checked: what the proof types of JWS share. Only a ``ReceiptVerifier``
/// makes one.
public struct SignedPayload: Sendable {
    let payload: JWSPayload
    let chain: CertificateChain

    init(_ payload: JWSPayload, signedOver chain: CertificateChain) {
        self.payload = payload
        self.chain = chain
    }

    /// The JSON, every byte as it was signed.
    public var json: [UInt8] { payload.bytes }

    /// The JSON object that a member holds, as it was signed.
    package func object(_ name: String) -> [UInt8]? {
        guard let member = payload.members[name], case .object = member.value else { return nil }
        return Array(payload.bytes[member.range])
    }

    /// The members of the JSON object that a member holds.
    func members(of name: String) -> NestedMembers? {
        guard let member = payload.members[name], case .object = member.value else { return nil }
        return NestedMembers(payload.bytes, in: member.range)
    }

    /// What was signed, as one of its members tells.
    public var kind: JWSKind { payload.kind }
}

/// What was signed as JWS. No initialiser of the types that conform is public and none is `Decodable`: only a
/// ``ReceiptVerifier`` makes one, so holding a value is the proof.
public protocol VerifiedJWS: SignedObject {
    /// What was signed, and over which chain.
    var signed: SignedPayload { get }
}

extension VerifiedJWS {
    /// What kind of anchor the chain ends at.
    public var realm: TrustRealm { signed.chain.realm }
    /// The chain, from the signer to the anchor.
    public var certificates: [CertificateFacts] { signed.chain.certificates }
    /// `signedDate`, or `receiptCreationDate` of an app transaction.
    public var verifiedAt: Timestamp { signed.payload.date }
    /// `environment`, or `receiptType` of an app transaction; nil where it is none that is known.
    public var environment: ReceiptEnvironment? { signed.payload.environment }
    /// Nil where the payload names no bundle ID, as in renewal information and realtime requests.
    public var bundleID: String? { signed.payload.bundleID }
    /// `appAppleId`: the app's identifier in the App Store. Transactions and renewal information do not name it.
    public var appAppleID: Int64? { signed.payload.appAppleID }

    /// Fails unless the object proves to be for this audience: what names no app is of none.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id` or `wrong_environment`.
    public func require(_ audience: ReceiptAudience) throws(ReceiptError) {
        let payload = signed.payload
        try NamedOrigin(
            bundleID: (payload.bundleID, payload.bundleIDField),
            environment: (payload.environment, payload.environmentField),
            appAppleID: (
                payload.appAppleID, payload.appAppleID != nil, payload.appAppleIDField, payload.appAppleIDUse
            )
        ).require(audience)
    }

    var members: SignedMembers { signed.payload.members }
}
