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

    public var kind: JWSKind { payload.kind }
}

/// What was signed as JWS. No initialiser of the types that conform is public and none is `Decodable`: only a
/// ``ReceiptVerifier`` makes one, so holding a value is the proof.
public protocol VerifiedJWS: SignedObject {
    var signed: SignedPayload { get }
}

extension VerifiedJWS {
    public var realm: TrustRealm { signed.chain.realm }
    public var certificates: [CertificateFacts] { signed.chain.certificates }
    /// `signedDate`, or `receiptCreationDate` of an app transaction.
    public var verifiedAt: Timestamp { signed.payload.date }
    public var environment: ReceiptEnvironment? { signed.payload.environment }
    /// Nil where the payload names no app, as in renewal information.
    public var bundleID: String? { signed.payload.bundleID }

    public func require(
        bundleID: String? = nil, environment: ReceiptEnvironment? = nil
    ) throws(ReceiptError) {
        let payload = signed.payload
        try NamedOrigin(
            bundleID: (payload.bundleID, payload.bundleIDField),
            environment: (payload.environment, payload.environmentField)
        ).require(bundleID: bundleID, environment: environment)
    }

    var members: SignedMembers { signed.payload.members }
}
