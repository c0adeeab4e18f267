import ReceiptExamination

/// The positions of the columns in a CSV export.
package struct CSVColumns: Sendable {
    package var delimiter = UInt8(ascii: ",")
    /// Whether the first row contains column names. If not, it is a record.
    package var hasHeader = true
    /// The column with the ID, or nil if there is none.
    package var id: Int?
    package let receipt: Int
    /// The column with the subject, or nil if there is none.
    package var subject: Int?
    /// The number of fields in a row.
    package let count: Int
    /// The other columns that hold signed objects, with names of the App Store Server API.
    package var others: [(column: Int, name: String)] = []
    /// The columns that are not read, in which receipts are noticed.
    var noticed: [(column: Int, name: String)] = []
    package var kept = Kept()

    /// The columns that are kept, and those that select rows.
    package struct Kept: Sendable {
        var fields = KeptFields()
        var columns: [(column: Int, name: [UInt8])] = []
        var conditions: [(column: Int, name: [UInt8])] = []
    }

    package static let mostColumns = 1 << 14
}
