/// An error that prevents forging.
public enum ForgeError: Error, Hashable, CustomStringConvertible {
    /// A libcrypto operation failed. The text is libcrypto's own.
    case crypto(operation: String, reason: String)
    /// No hostile variant has this ID.
    case unknownVariant(String)
    /// A specification is invalid. The entry is the place, such as `receipts[3].receipt.bundle_id`, or empty
    /// for the whole specification.
    case specification(entry: String, reason: String)

    public var description: String {
        switch self {
        case .crypto(let operation, let reason): "\(operation): \(reason)"
        case .unknownVariant(let id):
            "unknown hostile variant '\(id)'; appreceipt forge --list-variants lists them"
        case .specification(let entry, let reason): entry.isEmpty ? reason : "\(entry): \(reason)"
        }
    }
}
