/// Whatever ``ReceiptVerifier/verify(anything:)`` verified.
public enum VerifiedObject: Sendable {
    case receipt(VerifiedReceipt)
    case transaction(VerifiedTransaction)
    case renewalInfo(VerifiedRenewalInfo)
    case appTransaction(VerifiedAppTransaction)
    case notification(VerifiedNotification)
    case transactionReceipt(VerifiedTransactionReceipt)

    /// The object, as what all have in common.
    public var object: any SignedObject {
        switch self {
        case .receipt(let object): object
        case .transaction(let object): object
        case .renewalInfo(let object): object
        case .appTransaction(let object): object
        case .notification(let object): object
        case .transactionReceipt(let object): object
        }
    }

    /// The object, as what those signed as JWS have in common.
    public var jws: (any VerifiedJWS)? { object as? any VerifiedJWS }

    init(_ signed: SignedPayload) {
        switch signed.kind {
        case .transaction: self = .transaction(VerifiedTransaction(signed))
        case .renewalInfo: self = .renewalInfo(VerifiedRenewalInfo(signed))
        case .appTransaction: self = .appTransaction(VerifiedAppTransaction(signed))
        case .notification: self = .notification(VerifiedNotification(signed))
        }
    }
}

extension ReceiptVerifier {
    /// Verifies a receipt in any ``InputEncoding``, a compact JWS or an old transaction receipt, told apart by content.
    /// - Throws: ``ReceiptError``; an answer of the App Store Server API holds several objects, see ``APIAnswer``.
    public func verify(anything input: [UInt8]) throws(ReceiptError) -> VerifiedObject {
        try verify(recognised: try RecognisedInput(input.span, limits: limits))
    }

    /// Verifies a compact JWS and nothing else: no white space around it.
    /// - Throws: ``ReceiptError``.
    public func verify(jws text: String) throws(ReceiptError) -> VerifiedObject {
        let bytes = Array(text.utf8)
        return VerifiedObject(try payload(ofJWS: bytes.span))
    }

    package func verify(recognised input: RecognisedInput) throws(ReceiptError) -> VerifiedObject {
        switch input {
        case .receipt(let der): .receipt(try verify(container: der.span))
        case .jws(let text): VerifiedObject(try payload(ofJWS: text.span))
        case .transactionReceipt(let list): .transactionReceipt(try verify(transactionReceipt: list))
        case .json: throw ReceiptError(.malformed, .text(.severalObjects), offset: 0, field: "input")
        }
    }
}
