import AppReceipt
import ReceiptEvidence
import RecordSources
import SQLite

/// The columns of a row of `receipts` that identify the record.
struct StoredRecord {
    /// The number of the record in the whole input, from 1.
    let number: Int
    let source: String
    /// The number of the record in the source, from 1.
    let place: Int
    /// The path of the signed object in the record, or nil if the record is the object.
    let path: String?
    let leaf: SHA256Digest

    static let columns = "id, source, place, path, leaf"

    /// Reads a row, or returns nil if it has values that no run writes.
    init?(_ row: [Value]) {
        guard case .integer(let number) = row[0], case .text(let source) = row[1],
            case .integer(let place) = row[2], case .blob(let bytes) = row[4],
            number > 0, let leaf = SHA256Digest(bytes)
        else { return nil }
        self.number = Int(number)
        self.source = String(decoding: source, as: UTF8.self)
        self.place = Int(place)
        path = if case .text(let path) = row[3] { String(decoding: path, as: UTF8.self) } else { nil }
        self.leaf = leaf
    }
}

extension AuditDatabase {
    /// Returns the record with a name: its number, its ID, or its source and place.
    /// - Parameter name: `number:17`, `id:order-17` or `export.ndjson:17`. A number or an ID alone is
    ///   sufficient if it is unique.
    /// - Throws: ``AuditError`` if no record or several records have the name.
    func record(named name: String) throws(AuditError) -> StoredRecord {
        guard let record = try firstRecord(named: name) else {
            throw AuditError("\(path): contains no record \(name)")
        }
        return record
    }

    /// Returns the record with a name, or nil if there is none.
    /// - Throws: ``AuditError`` if several records have the name.
    func firstRecord(named name: String) throws(AuditError) -> StoredRecord? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let (kind, rest) = parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", name)
        let colon = name.lastIndex(of: ":")
        let source = kind == "number" || kind == "id" ? nil : colon.map { String(name[..<$0]) }
        let path = path
        return try access { database in
            let statement = try database.prepare(
                """
                SELECT \(StoredRecord.columns) FROM receipts
                WHERE id = ? OR record = ? OR (source = ? AND place = ?) ORDER BY id LIMIT 5
                """)
            let rows = try statement.bind(
                kind == "id" ? nil : Int64(kind == "number" ? rest : name),
                kind == "number" ? nil : kind == "id" ? rest : name,
                source, colon.flatMap { Int64(name[name.index(after: $0)...]) }
            ).map(\.values)
            guard let row = rows.first else { return nil }
            guard rows.count == 1 else {
                let numbers = rows.map { "number:\($0[0])" }.joined(separator: ", ")
                throw AuditError("\(path): several records match \(name): \(numbers)")
            }
            guard let record = StoredRecord(row) else {
                throw AuditError("\(path): receipts \(row[0]): invalid row")
            }
            return record
        }
    }

    /// Fails unless the run has ended and its root follows from its tree.
    /// - Returns: The root, and the number of records.
    func requireTree(_ tree: MerkleTree) throws(AuditError) -> (root: String, records: UInt64) {
        let progress = try progress()
        guard progress.isFinished, let root = progress.counts.root, let records = progress.tree else {
            throw AuditError(
                "\(path): the run is not finished and has no Merkle root; continue it with --resume")
        }
        guard try tree.root(of: records) == root else {
            throw AuditError("\(path): runs: root does not match tree")
        }
        return (root, records.count)
    }
}
