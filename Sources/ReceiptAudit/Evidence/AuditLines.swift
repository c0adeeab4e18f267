import AppReceipt
import ReceiptEvidence
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The lines of an audit, one for each record, compared with the rows and leaves of its database.
struct AuditLines {
    /// A difference, with the file that has it.
    enum Fault {
        case lines(String)
        case database(String)
    }

    /// The maximum size of a line in bytes.
    private static let mostBytes = 1 << 28

    private let lines: ByteStream
    private var rest: [UInt8] = []

    /// Opens the file.
    init(path: String) throws(AuditError) { lines = try ByteStream(path: path, digest: nil) }

    /// Returns the line that replaces the line of a forgotten record.
    static func tombstone(_ leaf: [UInt8]) -> [UInt8] {
        Array(#"{"forgotten":"\#(hexadecimal(leaf))"}"#.utf8)
    }

    /// Computes the leaf of each line and compares it with the database's row. It also compares the columns that repeat
    /// the statement. The line of a forgotten record is its tombstone.
    /// - Parameters:
    ///   - going: The numbers of the records whose lines are about to be replaced, or nil if none are. An interrupted run may
    ///     have replaced them already. It may also have left lines of records that the database has forgotten; their leaves
    ///     cannot be computed without the row.
    ///   - body: The closure that receives the number and the leaf of each record, and its line.
    /// - Returns: The first difference, or nil if there is none.
    mutating func compare(
        with database: AuditDatabase, _ tree: MerkleTree, replacing going: Set<Int>? = nil,
        _ body: (_ number: Int, _ leaf: [UInt8], _ line: [UInt8]) throws -> Void = { _, _, _ in }
    ) throws -> Fault? {
        let sources = try database.sourceNames() ?? []
        let hasForgotten = try database.forgotten() > 0
        var (number, source) = (0, 1)
        return try database.access { database in
            let statement = try database.prepare(BundleRow.sql)
            let tombstones =
                hasForgotten ? try database.prepare("SELECT id, leaf FROM forgotten ORDER BY id") : nil
            var tombstone = try tombstones?.nextRow()?.values
            while true {
                number += 1
                if let row = tombstone, row[0] == .integer(Int64(number)) {
                    guard case .blob(let leaf) = row[1], let line = try nextLine(),
                        line == Self.tombstone(leaf) || going != nil && LineStatement(line) != nil
                    else {
                        return .lines("record \(number): differs from the tombstone in the database")
                    }
                    tombstone = try tombstones?.nextRow()?.values
                    try body(number, leaf, line)
                    continue
                }
                guard let row = try statement.nextRow()?.values else { break }
                guard let line = try nextLine(), let row = BundleRow(row) else {
                    return .lines("record \(number): missing or invalid")
                }
                if going?.contains(number) == true, line == Self.tombstone(row.leaf) {
                    try body(number, row.leaf, line)
                    continue
                }
                guard let stated = LineStatement(line) else {
                    return .lines("record \(number): missing or invalid")
                }
                // A source may occur twice, and a record may have the name of its source.
                let made = try (source...max(source, sources.count)).first { candidate in
                    try sources.indices.contains(candidate - 1)
                        && sources[candidate - 1].isExactly(row.source)
                        && stated.forms(of: row.source).contains { form in
                            let leaf = AuditLeaf(
                                source: UInt64(candidate), place: row.place, received: row.received,
                                statement: form)
                            return try tree.leaf(leaf.bytes.span).bytes == row.leaf
                        }
                }
                guard let made else { return .lines("record \(number): does not match the Merkle root") }
                source = made
                if let column = row.difference(from: stated) {
                    return .database("receipts \(number): \(column) differs from the line")
                }
                try body(number, row.leaf, line)
            }
            return try nextLine() == nil ? nil : .lines("more lines than records in the database")
        }
    }

    /// Returns the next line without its line feed, or nil at the end.
    private mutating func nextLine() throws -> [UInt8]? {
        var seen = 0
        while true {
            if let end = rest[seen...].firstIndex(of: 0x0A) {
                defer { rest.removeFirst(end + 1) }
                return Array(rest[..<end])
            }
            seen = rest.count
            guard seen <= Self.mostBytes, try lines.append(to: &rest, upTo: 1 << 16) > 0 else {
                return rest.isEmpty ? nil : rest
            }
        }
    }
}
