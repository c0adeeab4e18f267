/// Which of the three a record had.
public struct NamedFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What tells one record from another.
    public static let id = NamedFields(rawValue: 1)
    /// The receipt, or whatever else is signed.
    public static let receipt = NamedFields(rawValue: 2)
    /// Whose it is.
    public static let subject = NamedFields(rawValue: 4)
}

/// The names of a record's members, as text and as the bytes that stand in a line. That of a member of a member is a path
/// with full stops.
package struct FieldNames: Sendable {
    package let receiptName: String
    /// Somebody said which member holds receipts: no other one does.
    package let isReceiptNamed: Bool
    let id: [UInt8]
    let receipt: [UInt8]
    let subject: [UInt8]

    /// Those that nobody need name.
    package static let (id, receipt, subject) = ("id", "receipt", "subject")

    /// - Parameters:
    ///   - id, subject: nil: the usual ones.
    ///   - receipt: what was said to hold receipts.
    ///   - found: where they were found, where nobody said so.
    package init(id: String? = nil, receipt: String? = nil, subject: String? = nil, found: String? = nil) {
        receiptName = receipt ?? found ?? Self.receipt
        isReceiptNamed = receipt != nil
        self.id = Array((id ?? Self.id).utf8)
        self.receipt = Array(receiptName.utf8)
        self.subject = Array((subject ?? Self.subject).utf8)
    }

    /// Whether a wanted member may stand below one of this path.
    func lead(below path: [UInt8]) -> Bool {
        [id, receipt, subject].contains {
            $0.count > path.count && $0[path.count] == UInt8(ascii: ".") && $0.starts(with: path)
        }
    }
}
