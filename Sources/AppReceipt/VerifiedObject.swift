/// Whatever ``ReceiptVerifier/verify(anything:for:)`` verified.
public enum VerifiedObject: Sendable {
    /// A PKCS #7 receipt.
    case receipt(VerifiedReceipt)
    /// A signed transaction.
    case transaction(VerifiedTransaction)
    /// Signed renewal information.
    case renewalInfo(VerifiedRenewalInfo)
    /// A signed app transaction.
    case appTransaction(VerifiedAppTransaction)
    /// A notification to a server; what it carries is not verified with it.
    case notification(VerifiedNotification)
    /// A request for a retention message in real time.
    case realtimeRequest(VerifiedRealtimeRequest)
    /// A transaction receipt.
    case transactionReceipt(VerifiedTransactionReceipt)

    /// The object, as what all have in common.
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

    /// What kind of anchor the chain ends at.
    package var realm: TrustRealm {
        // Most are receipts, which ``object`` would lay on the heap.
        if case .receipt(let receipt) = self { receipt.realm } else { object.realm }
    }

    /// The object, as what those signed as JWS have in common.
    public var jws: (any VerifiedJWS)? { object as? any VerifiedJWS }

    /// The chain in DER, from the signer to the anchor.
    package var chain: [[UInt8]] {
        switch self {
        case .receipt(let object): object.chain.encodings
        case .transactionReceipt(let object): object.chain.encodings
        default: jws?.signed.chain.encodings ?? []
        }
    }

    init(_ signed: SignedPayload) {
        switch signed.kind {
        case .transaction: self = .transaction(VerifiedTransaction(signed))
        case .renewalInfo: self = .renewalInfo(VerifiedRenewalInfo(signed))
        case .appTransaction: self = .appTransaction(VerifiedAppTransaction(signed))
        case .notification: self = .notification(VerifiedNotification(signed))
        case .realtimeRequest: self = .realtimeRequest(VerifiedRealtimeRequest(signed))
        }
    }
}

extension ReceiptVerifier {
    /// Verifies a receipt in any ``InputEncoding``, a compact JWS or a transaction receipt, told apart by content.
    /// - Parameters:
    ///   - input: the bytes as they came.
    ///   - audience: whose it must be. What names no app, as renewal information does, is nobody's.
    /// - Throws: ``ReceiptError``; an answer of the App Store Server API holds several objects, see ``APIAnswer``.
    public func verify(
        anything input: [UInt8], for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedObject {
        try verify(recognised: try RecognisedInput(input.span, limits: limits), for: audience)
    }

    /// Verifies a compact JWS and nothing else: no white space around it.
    /// - Parameters:
    ///   - text: the three parts with periods between them.
    ///   - audience: whose it must be. What names no app, as renewal information does, is nobody's.
    /// - Throws: ``ReceiptError``.
    public func verify(
        jws text: String, for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedObject {
        try verify(recognised: .jws(Array(text.utf8)), for: audience)
    }

    package func verify(
        recognised input: RecognisedInput, for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedObject {
        let object = try verify(recognised: input)
        try object.object.require(audience)
        return object
    }

    private func verify(recognised input: RecognisedInput) throws(ReceiptError) -> VerifiedObject {
        switch input {
        case .receipt(let der): .receipt(try verify(container: der, for: .anyApp))
        case .jws(let text): VerifiedObject(try payload(ofJWS: text.span))
        case .transactionReceipt(let list):
            .transactionReceipt(try verify(transactionReceipt: list, for: .anyApp))
        case .json: throw ReceiptError(.malformed, .text(.severalObjects), offset: 0, field: "input")
        }
    }
}
