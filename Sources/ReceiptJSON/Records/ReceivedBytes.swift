import AppReceipt

/// The bytes of a record as they were received, as its leaf in an audit's tree binds them.
package enum ReceivedBytes: Hashable, Sendable {
    /// None: the record says that it holds none, or they could not be read.
    case nothing
    /// The bytes that `sha256` names, in base64 with padding (RFC 4648, 4) and nothing else. One text alone is that, so that
    /// no digest of it is needed: to hash the text of a receipt once more would slow an audit by a tenth.
    case base64
    /// Any others, by their SHA-256.
    case digest([UInt8])

    /// The text in a leaf.
    package var text: String {
        switch self {
        case .nothing: "nothing"
        case .base64: "base64"
        case .digest(let digest): hexadecimal(digest)
        }
    }
}
