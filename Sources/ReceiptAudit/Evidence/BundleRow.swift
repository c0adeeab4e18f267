import ReceiptEvidence
import ReceiptExamination
import ReceiptJSON
import SQLite

/// The columns of a row of `receipts` that the leaf of its record covers.
struct BundleRow {
    let source: String
    let place: UInt64
    let received: ReceivedBytes
    let leaf: [UInt8]
    /// The values of ``LineStatement/columns``.
    private let stated: ArraySlice<Value>
    /// Whether the row contains values of signed content.
    private let hasSignedValues: Bool

    private static let front = ["source", "place", "received", "leaf"]

    static var sql: String {
        // A refused record has none of these values.
        // `other_app` and `kept` are not values of signed content.
        let values = RowTable.receipts.columns.map(\.name).drop { $0 != "digest" }.filter {
            !["other_app", "kept", "leaf"].contains($0)
        }
        let all = front + LineStatement.columns + ["coalesce(\(values.joined(separator: ", "))) IS NOT NULL"]
        return "SELECT \(all.joined(separator: ", ")) FROM receipts ORDER BY id"
    }

    /// Reads a row, or returns nil if it has values that no run writes.
    init?(_ row: [Value]) {
        guard case .text(let source) = row[0], case .integer(let place) = row[1],
            case .text(let received) = row[2], case .blob(let leaf) = row[3],
            let place = UInt64(exactly: place), let received = ReceivedBytes(text: received)
        else { return nil }
        (self.source, self.place) = (String(decoding: source, as: UTF8.self), place)
        (self.received, self.leaf) = (received, leaf)
        stated = row[Self.front.count..<row.count - 1]
        hasSignedValues = row[row.count - 1] == .integer(1)
    }

    /// The columns that the line of an object lacks if the object is refused renewal information without an
    /// app.
    private static let unplaced: Set = ["content_sha256", "kind", "realm", "environment", "revocation"]

    private func isUnplaced(_ line: LineStatement) -> Bool {
        let kind = zip(LineStatement.columns, stated).first { $0.0 == "kind" }?.1
        return line.mayBeUnplaced && kind == .text(Array("renewal-info".utf8))
    }

    /// Returns the first column that differs from a line, or nil if there is none.
    func difference(from line: LineStatement) -> String? {
        let wanted = line.values(inFileOf: stated[stated.startIndex], stated[stated.startIndex + 1])
        let different = zip(LineStatement.columns, zip(stated, wanted)).first { column, values in
            // The line of a JWS does not contain the digest of its content.
            let isOmitted =
                values.1 == .null
                && (column == "content_sha256" && line.isGenuine
                    || Self.unplaced.contains(column) && isUnplaced(line))
            return values.0 != values.1 && !isOmitted
        }?.0
        return different
            ?? (hasSignedValues && !line.isGenuine && !isUnplaced(line) ? "digest or what follows it" : nil)
    }
}
