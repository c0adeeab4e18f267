import AppReceipt
import ReceiptJSON

/// How many records were read, and what became of them.
public struct AuditCounts: Hashable, Sendable {
    public var genuine = 0
    /// Receipts that were read and refused.
    public var refused = 0
    /// Records of which no receipt could be read.
    public var unreadable = 0
    /// The first record that could not be read, for a message.
    public var firstUnreadable: String?

    public var records: Int { genuine + refused + unreadable }

    public init() {}

    mutating func add(_ answer: Answer, from source: String) {
        guard case .failure(let refusal) = answer.examination.result else {
            genuine += 1
            return
        }
        guard refusal.code == .unreadable else {
            refused += 1
            return
        }
        unreadable += 1
        guard firstUnreadable == nil else { return }
        let place =
            if case .source(let path) = answer.origin { path } else { Self.name(answer.place, of: source) }
        firstUnreadable = "\(place): \(refusal.message)"
    }

    /// A record, for a message.
    static func name(_ place: Int, of source: String) -> String {
        "\(source == "-" ? "standard input" : source), record \(place)"
    }

    mutating func add(_ other: AuditCounts) {
        genuine += other.genuine
        refused += other.refused
        unreadable += other.unreadable
        firstUnreadable = firstUnreadable ?? other.firstUnreadable
    }
}
