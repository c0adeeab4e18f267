// RFC 4180. A field stands in quotes or holds none; in quotes, commas and line ends belong to it and a quote is
// written twice.

/// The names by which an export calls its fields or columns.
public struct ColumnNames: Hashable, Sendable {
    public var id: String
    public var receipt: String
    public var subject: String

    public init(id: String = "id", receipt: String = "receipt", subject: String = "subject") {
        (self.id, self.receipt, self.subject) = (id, receipt, subject)
    }
}

/// Where the columns of a CSV export are.
struct CSVColumns: Sendable {
    let id: Int
    let receipt: Int
    /// Nil where the export has none.
    let subject: Int?
    /// How many fields a row has.
    let count: Int

    private static let mostColumns = 1 << 14

    /// - Throws: ``AuditError`` where a column is missing or there twice.
    init(header: [UInt8], _ range: Range<Int>, _ names: ColumnNames, of name: String) throws(AuditError) {
        var range = range
        if header[range].starts(with: [0xEF, 0xBB, 0xBF]) { range = range.lowerBound + 3..<range.upperBound }
        guard let row = CSVRow(header, range, keeping: Self.mostColumns) else {
            throw AuditError("\(name), line 1: the column names are not CSV")
        }
        guard row.count <= Self.mostColumns else {
            throw AuditError("\(name), line 1: \(row.count) columns, where \(Self.mostColumns) may be")
        }
        let found = row.fields.map { String(decoding: $0, as: UTF8.self) }
        func place(_ column: String) throws(AuditError) -> Int? {
            let places = found.indices.filter { found[$0] == column }
            if places.count > 1 { throw AuditError("\(name), line 1: the column \(column) is there twice") }
            return places.first
        }
        func required(_ column: String) throws(AuditError) -> Int {
            guard let place = try place(column) else {
                let shown = found.prefix(20).map(\.cut).joined(separator: ", ")
                let more = found.count > 20 ? " and \(found.count - 20) more" : ""
                throw AuditError("\(name), line 1: no column \(column) among \(shown)\(more)")
            }
            return place
        }
        id = try required(names.id)
        receipt = try required(names.receipt)
        subject = try place(names.subject)
        count = found.count
    }
}

/// A row taken apart.
struct CSVRow {
    private(set) var fields: [ArraySlice<UInt8>] = []
    /// How many there are, also of those that are not kept.
    private(set) var count = 0

    /// - Parameter most: fields that are kept.
    /// - Returns: nil where a quote stands in the wrong place or is not closed.
    init?(_ bytes: [UInt8], _ range: Range<Int>, keeping most: Int) {
        let end = range.upperBound
        var index = range.lowerBound
        while true {
            let field: ArraySlice<UInt8>
            if index < end, bytes[index] == UInt8(ascii: "\"") {
                guard let quoted = Self.quoted(bytes, &index, end) else { return nil }
                field = quoted
            } else {
                let start = index
                while index < end, bytes[index] != UInt8(ascii: ",") {
                    if bytes[index] == UInt8(ascii: "\"") { return nil }
                    index += 1
                }
                field = bytes[start..<index]
            }
            count += 1
            if count <= most { fields.append(field) }
            guard index < end else { return }
            guard bytes[index] == UInt8(ascii: ",") else { return nil }
            index += 1
        }
    }

    /// The content of a field in quotes; `index` goes behind the closing one.
    private static func quoted(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> ArraySlice<UInt8>? {
        var start = index + 1
        var text: [UInt8] = []
        index = start
        while index < end {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let part = bytes[start..<index]
            index += 1
            guard index < end, bytes[index] == UInt8(ascii: "\"") else {
                return text.isEmpty ? part : (text + part)[...]
            }
            // One of two quotes is kept.
            text += part + [UInt8(ascii: "\"")]
            index += 1
            start = index
        }
        return nil
    }
}
