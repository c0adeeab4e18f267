import AppReceipt

/// The bytes of a record as they were received, in the form in which its leaf in an audit's tree commits to
/// them.
package enum ReceivedBytes: Hashable, Sendable {
    /// No bytes: the record states that it holds none, or they could not be read.
    case nothing
    /// The padded base64 (RFC 4648, 4) of the bytes that `sha256` names, and nothing else. Only one text has
    /// this form, so it needs no second digest. Hashing the text of each receipt, too, would slow an audit by
    /// a tenth.
    case base64
    /// The SHA-256 of any other bytes.
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
