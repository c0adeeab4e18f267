import ReceiptJSON

/// The names by which an export calls its fields or columns; that of a member of a member is a path with full stops, for
/// example `response.latest_receipt`. What is not named is found out.
public struct ColumnNames: Hashable, Sendable {
    /// Nil: `id`; a record without one is called by its number.
    public var id: String?
    /// Nil: `receipt` where there is one, else the first that holds receipts in most of the first 1,000 records; of a pipe,
    /// the one that alone holds one in the first of them.
    public var receipt: String?
    /// Nil: `subject`, where there is one.
    public var subject: String?

    public init(id: String? = nil, receipt: String? = nil, subject: String? = nil) {
        (self.id, self.receipt, self.subject) = (id, receipt, subject)
    }

    static let (id, receipt, subject) = (FieldNames.id, FieldNames.receipt, FieldNames.subject)
}

/// Where the columns of a CSV export are.
struct CSVColumns: Sendable {
    var delimiter = UInt8(ascii: ",")
    /// False where the first row is a record as well.
    var hasHeader = true
    /// Nil where the export has none.
    var id: Int?
    let receipt: Int
    /// Nil where the export has none.
    var subject: Int?
    /// How many fields a row has.
    let count: Int
    /// Further columns that hold signed objects: those of the App Store Server API's names.
    var others: [(column: Int, name: String)] = []

    static let mostColumns = 1 << 14
}

extension FieldNames {
    /// - Parameter receipt: where it was found, where nobody named it.
    init(_ names: ColumnNames, receipt: String? = nil) {
        self.init(id: names.id, receipt: names.receipt, subject: names.subject, found: receipt)
    }
}
