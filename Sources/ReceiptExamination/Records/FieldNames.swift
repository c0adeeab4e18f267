/// The names of a record's members, as text and as UTF-8. The name of a nested member is a path with periods.
/// It is a class, because each record refers to it.
package final class FieldNames: Sendable {
    /// The default names.
    package static let usual = FieldNames()

    package let receiptName: String
    package let subjectName: String
    /// Whether the caller named the member that holds receipts. If so, no other members are searched for
    /// signed objects.
    package let isReceiptNamed: Bool
    let id: [UInt8]
    let receipt: [UInt8]
    let subject: [UInt8]
    /// The other fields that are needed.
    package let kept: KeptFields
    /// Whether to notice receipts in other members, which are not read.
    package let isNoticing: Bool

    /// The default names.
    package static let (id, receipt, subject) = ("id", "receipt", "subject")

    /// Creates the names of a record's members.
    /// - Parameters:
    ///   - id, subject: The names given by the caller, or nil for the defaults.
    ///   - receipt: The member that the caller named for receipts.
    ///   - found: The member in which receipts were found, used if the caller named none.
    ///   - foundSubject: The member in which the subject was found, used if the caller named none.
    ///   - kept: The other fields that are needed.
    ///   - isNoticing: Whether to notice receipts in other members.
    package init(
        id: String? = nil, receipt: String? = nil, subject: String? = nil, found: String? = nil,
        foundSubject: String? = nil, kept: KeptFields = KeptFields(), isNoticing: Bool = false
    ) {
        receiptName = receipt ?? found ?? Self.receipt
        isReceiptNamed = receipt != nil
        self.id = Array((id ?? Self.id).utf8)
        self.receipt = Array(receiptName.utf8)
        subjectName = subject ?? foundSubject ?? Self.subject
        self.subject = Array(subjectName.utf8)
        (self.kept, self.isNoticing) = (kept, isNoticing)
    }

    /// Returns whether the same members of records of one source have these names.
    package func isEqual(to other: FieldNames) -> Bool {
        self === other
            || receipt == other.receipt && subject == other.subject && id == other.id
                && isNoticing == other.isNoticing
    }

    /// Returns whether a wanted member may be nested below the member with this path.
    func lead(below path: [UInt8]) -> Bool {
        if kept.isAll { return path.count { $0 == UInt8(ascii: ".") } < KeptFields.mostLevels }
        return [id, receipt, subject].contains { Self.lead($0, below: path) }
            || kept.names.contains { Self.lead($0, below: path) }
            || kept.conditions.keys.contains { Self.lead($0, below: path) }
    }

    private static func lead(_ name: [UInt8], below path: [UInt8]) -> Bool {
        name.count > path.count && name[path.count] == UInt8(ascii: ".") && name.starts(with: path)
    }
}
