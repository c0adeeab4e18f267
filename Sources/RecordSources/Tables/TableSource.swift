/// The rows of an SQL dump or a database that hold receipts.
final class TableSource: BatchSource {
    private let rows: TableRows
    private let ahead: ReadAhead
    /// The closure that returns the next row, or nil at the end. It throws ``SourceDamage``.
    private let read: () throws -> SQLDump.Item?
    /// The last batches, after all rows were read.
    private var last: ArraySlice<Batch>?

    init(_ rows: TableRows, ahead: ReadAhead, read: @escaping () throws -> SQLDump.Item?) {
        (self.rows, self.ahead, self.read) = (rows, ahead, read)
    }

    func next() throws -> Batch? {
        while last == nil {
            if let batch = rows.batch(of: ahead.batchBytes) { return batch }
            do {
                switch try read() {
                case .row(let row, let table, let columns): rows.add(row, of: table, columns)
                case .refused(let message, let table, let holdsReceipt):
                    rows.refuse(message, of: table, holdsReceipt: holdsReceipt)
                case .database(let name): rows.beginDatabase(name)
                case nil: last = rows.end(nil)[...]
                }
            } catch let damage as SourceDamage {
                last = rows.end(damage.description)[...]
            }
        }
        return last?.popFirst()
    }
}
