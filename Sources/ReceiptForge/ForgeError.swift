/// Why something could not be forged.
public enum ForgeError: Error, Hashable, CustomStringConvertible {
    /// libcrypto refused an operation; the text is its own.
    case crypto(operation: String, reason: String)
    /// No hostile variant has this id.
    case unknownVariant(String)
    /// A specification says something that can't be forged. The entry is the place, such as
    /// `receipts[3].receipt.bundle_id`, or empty for the whole.
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
