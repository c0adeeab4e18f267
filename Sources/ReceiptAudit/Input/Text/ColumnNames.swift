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

    static let (id, receipt, subject) = ("id", "receipt", "subject")
}

/// Which of the three a record had.
public struct NamedFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let id = NamedFields(rawValue: 1)
    public static let receipt = NamedFields(rawValue: 2)
    public static let subject = NamedFields(rawValue: 4)
}

/// The names of the fields of one source, as text and as the bytes that stand in a line.
struct FieldNames: Sendable {
    let receiptName: String
    /// Somebody said which member holds receipts: no other one does.
    let isReceiptNamed: Bool
    let id: [UInt8]
    let receipt: [UInt8]
    let subject: [UInt8]

    /// - Parameter receipt: where it was found, where nobody named it.
    init(_ names: ColumnNames, receipt: String? = nil) {
        receiptName = names.receipt ?? receipt ?? ColumnNames.receipt
        isReceiptNamed = names.receipt != nil
        id = Array((names.id ?? ColumnNames.id).utf8)
        self.receipt = Array(receiptName.utf8)
        subject = Array((names.subject ?? ColumnNames.subject).utf8)
    }

    /// Whether a wanted member may stand below one of this path.
    func lead(below path: [UInt8]) -> Bool {
        [id, receipt, subject].contains {
            $0.count > path.count && $0[path.count] == UInt8(ascii: ".") && $0.starts(with: path)
        }
    }
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
