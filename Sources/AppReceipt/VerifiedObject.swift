/// An object that ``ReceiptVerifier/verify(signedObject:for:)`` or ``ReceiptVerifier/verify(jws:for:)``
/// verified.
public enum VerifiedObject: Sendable {
    /// A PKCS #7 receipt.
    case receipt(VerifiedReceipt)
    /// A signed transaction.
    case transaction(VerifiedTransaction)
    /// Signed renewal information.
    case renewalInfo(VerifiedRenewalInfo)
    /// A signed app transaction.
    case appTransaction(VerifiedAppTransaction)
    /// A notification to a server. The objects inside it are not verified with it.
    case notification(VerifiedNotification)
    /// A request for a retention message in real time.
    case realtimeRequest(VerifiedRealtimeRequest)
    /// A transaction receipt.
    case transactionReceipt(VerifiedTransactionReceipt)

    /// The object as a value of the protocol that all kinds share.
    public var object: any SignedObject {
        switch self {
        case .receipt(let object): object
        case .transaction(let object): object
        case .renewalInfo(let object): object
        case .appTransaction(let object): object
        case .notification(let object): object
        case .realtimeRequest(let object): object
        case .transactionReceipt(let object): object
        }
    }

    /// The kind of the trust anchor at the end of the chain.
    package var realm: TrustAnchorKind {
        // Most objects are receipts. For these, `object` would allocate memory.
        if case .receipt(let receipt) = self { receipt.realm } else { object.realm }
    }

    /// The object as a value of the protocol that all JWS kinds share, or nil for other kinds.
    public var jws: (any VerifiedJWS)? { object as? any VerifiedJWS }

    /// The chain in DER, from the signer to the trust anchor.
    package var chain: [[UInt8]] {
        switch self {
        case .receipt(let object): object.chain.encodings
        case .transactionReceipt(let object): object.chain.encodings
        default: jws?.signed.chain.encodings ?? []
        }
    }

    init(_ signed: SignedPayload) {
        switch signed.kind {
        case .transaction: self = .transaction(VerifiedTransaction(signed: signed))
        case .renewalInfo: self = .renewalInfo(VerifiedRenewalInfo(signed: signed))
        case .appTransaction: self = .appTransaction(VerifiedAppTransaction(signed: signed))
        case .notification: self = .notification(VerifiedNotification(signed: signed))
        case .realtimeRequest: self = .realtimeRequest(VerifiedRealtimeRequest(signed: signed))
        }
    }
}

extension ReceiptVerifier {
    /// Verifies a receipt in any ``InputEncoding``, a compact JWS or a transaction receipt. The content
    /// determines the kind.
    /// - Parameters:
    ///   - input: the bytes as received.
    ///   - policy: the verification policy: expected app, environment and device. Objects that name no app,
    ///     such as renewal information, do not satisfy a policy that expects one.
    /// - Throws: ``ReceiptError``, also for a response of the App Store Server API, which contains several
    ///   objects; see ``APIAnswer``.
    public func verify(
        signedObject input: [UInt8], for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedObject {
        try verify(recognized: try RecognizedInput(input.span, limits: limits), for: policy)
    }

    /// Verifies a compact JWS without white space around it, and nothing else.
    /// - Parameters:
    ///   - text: the three parts, separated by periods.
    ///   - policy: the verification policy: expected app, environment and device. Objects that name no app,
    ///     such as renewal information, do not satisfy a policy that expects one.
    /// - Throws: ``ReceiptError``.
    public func verify(
        jws text: String, for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedObject {
        try verify(recognized: .jws(Array(text.utf8)), for: policy)
    }

    package func verify(
        recognized input: RecognizedInput, for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedObject {
        let object = try authenticate(input)
        try object.object.require(policy)
        return object
    }

    /// Verifies that an object is genuine. The caller applies the verification policy.
    package func authenticate(_ input: RecognizedInput) throws(ReceiptError) -> VerifiedObject {
        switch input {
        case .receipt(let der): .receipt(try authenticate(container: der.span))
        case .jws(let text): VerifiedObject(try payload(ofJWS: text.span))
        case .transactionReceipt(let list):
            .transactionReceipt(try authenticate(transactionReceipt: list))
        case .json: throw ReceiptError(.malformed, .text(.severalObjects), offset: 0, field: "input")
        }
    }
}
