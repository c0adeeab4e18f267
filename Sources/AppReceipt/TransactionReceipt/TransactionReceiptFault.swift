/// A fault of a transaction receipt.
public enum TransactionReceiptFault: Hashable, Sendable {
    /// No dictionary of quoted texts, or something after it.
    case propertyList
    /// Two members of one name.
    case memberTwice
    /// A member without which nothing can be verified is missing.
    case memberMissing
    /// A text that is not base64, or has bits after the last byte.
    case base64
    /// Not version, signature, length and certificate, or something after them.
    case blob
    /// A signature version other than 2, 3 and 4.
    case version
    /// A text that its member does not allow.
    case value
}

extension TransactionReceiptFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .propertyList: "not a property list of quoted texts"
        case .memberTwice: "named twice in one property list"
        case .memberMissing: "missing from the property list"
        case .base64: "not base64"
        case .blob: "not version, signature, length and certificate"
        case .version: "a signature version other than 2, 3 and 4"
        case .value: "invalid value"
        }
    }
}
