/// A fault of a transaction receipt.
public enum TransactionReceiptFault: Hashable, Sendable {
    /// The input is not a dictionary of quoted texts, or bytes follow it.
    case propertyList
    /// Two members have the same name.
    case memberTwice
    /// A member that verification requires is missing.
    case memberMissing
    /// A text is not base64, or has bits after the last byte.
    case base64
    /// The signature does not consist of version, signature, length and certificate, or bytes follow them.
    case blob
    /// The signature version is not 2, 3 or 4.
    case version
    /// The text is not a valid value of its member.
    case value
}

extension TransactionReceiptFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .propertyList: "not a property list of quoted strings"
        case .memberTwice: "duplicate member in the property list"
        case .memberMissing: "missing from the property list"
        case .base64: "not base64"
        case .blob: "not version, signature, length and certificate"
        case .version: "signature version is not 2, 3 or 4"
        case .value: "invalid value"
        }
    }
}
