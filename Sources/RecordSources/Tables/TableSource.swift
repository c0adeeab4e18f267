import AppReceipt

/// The rows of an SQL dump that hold receipts.
final class SQLSource: BatchSource {
    private let dump: SQLDump
    private let tables: TableRowsBox
    private let ahead: ReadAhead
    private var last: ArraySlice<Batch> = []
    private var isDone = false

    init(
        _ stream: ByteStream, source: String, _ settings: TableSettings, limits: ReceiptLimits, limit: Int,
        ahead: ReadAhead
    ) {
        self.ahead = ahead
        let tables = TableRowsBox(
            TableRows(source: source, name: stream.name, settings, limits: limits, limit: limit))
        self.tables = tables
        dump = SQLDump(stream, limit: limit) { tables.rows.wants($0) }
    }

    func next() throws -> Batch? {
        while !isDone {
            if let batch = tables.rows.batch(of: ahead.batchBytes) { return batch }
            do {
                switch try dump.next() {
                case .row(let row, let table, let columns): tables.rows.add(row, of: table, columns)
                case .refused(let message, let table): tables.rows.refuse(message, of: table)
                case nil: end(nil)
                }
            } catch let damage as SourceDamage {
                end(damage.description)
            }
        }
        return last.popFirst()
    }

    private func end(_ damage: String?) {
        last = tables.rows.end(damage)[...]
        isDone = true
    }
}

/// A reference to the rows of the tables, which the dump and its reader share.
private final class TableRowsBox {
    var rows: TableRows

    init(_ rows: TableRows) { self.rows = rows }
}
