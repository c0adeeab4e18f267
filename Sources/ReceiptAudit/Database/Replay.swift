import RecordSources
import SQLite

/// A comparison of every row of a database with the row that the same sources give now.
///
/// The sources are authoritative. Nothing is computed from the suspect database; its tables are read once from start to
/// end. Values that cannot be reproduced are not compared: the tool's version, its arguments, the start and
/// end of the run, and its lines. The sources have the names that the run gave them, regardless of their
/// current paths.
final class Replay {
    private let suspect: AuditDatabase
    private let fresh: AuditDatabase
    private let verdicts: VerdictChanges?
    private let differ: (String) -> Void
    private(set) var differences = 0

    private static let unknowable: [String: Set<String>] = [
        "runs": [
            "tool_version", "arguments", "settings", "started_at", "ended_at", "ndjson_bytes",
            "ndjson_digest",
        ]
    ]
    /// The maximum number of reported differences. A database with more is a different one.
    private static let limit = 1000

    /// Creates a comparison.
    /// - Parameters:
    ///   - verdicts: The verdicts that change under other revocation lists, or nil to compare everything.
    ///   - differ: The closure that receives each difference as one line.
    init(
        _ suspect: AuditDatabase, against fresh: AuditDatabase, _ verdicts: VerdictChanges? = nil,
        differ: @escaping (String) -> Void
    ) {
        (self.suspect, self.fresh, self.verdicts, self.differ) = (suspect, fresh, verdicts, differ)
    }

    func compare() throws(AuditError) {
        if try !suspect.progress().isFinished {
            note("runs 1: the run is not finished")
        } else if try !suspect.hasIndexes() {
            note("missing indexes")
        }
        let (suspect, fresh) = (suspect, fresh)
        let tables = verdicts == nil ? AuditSchema.tableNames : VerdictChanges.tables
        try suspect.access { suspect in
            try fresh.access { fresh in
                for table in tables where differences < Self.limit {
                    try compare(table, suspect, fresh)
                }
            }
        }
        if differences >= Self.limit { differ("\(differences) differences; stopped comparing") }
        verdicts?.finish()
        differences += verdicts?.records.count ?? 0
    }

    private func compare(_ table: String, _ suspect: Connection, _ fresh: Connection) throws {
        let ignored = (Self.unknowable[table] ?? []).union(
            verdicts == nil ? [] : VerdictChanges.ignored(of: table))
        let columns = "SELECT name FROM pragma_table_info('\(table)')"
        let primary: [String] = try fresh.prepare("\(columns) WHERE pk > 0 ORDER BY pk").values()
        let keys = verdicts == nil ? primary : VerdictChanges.key(of: table) ?? primary
        let others = try (fresh.prepare(columns).values() as [String]).filter {
            !keys.contains($0) && !ignored.contains($0)
        }
        let key = keys.joined(separator: ", ")
        let selected = (keys + others).map {
            verdicts == nil ? $0 : VerdictChanges.expression($0, of: table)
        }.joined(separator: ", ")
        let rows = verdicts == nil ? "" : VerdictChanges.condition(of: table)
        let sql = "SELECT \(selected) FROM \(table) \(rows) ORDER BY \(key)"
        let (stored, made) = (try suspect.prepare(sql), try fresh.prepare(sql))
        var was = try stored.nextRow()?.values
        var now = try made.nextRow()?.values
        while differences < Self.limit {
            guard let row = was ?? now else { return }
            let order = Self.order(was, now, width: keys.count)
            let first = order > 0 ? now ?? row : row
            let name = "\(table) " + first.prefix(keys.count).map { "\($0)" }.joined(separator: ", ")
            func note(_ difference: String) {
                if verdicts?.explains(table, first[0]) != true { self.note("\(name): \(difference)") }
            }
            if order < 0 { note("not in the sources") }
            if order > 0 { note("missing row") }
            if order == 0, let was, let now {
                let compared =
                    table == "receipts"
                    ? verdicts?.compare(
                        was[0], others, Array(was.dropFirst(keys.count)), Array(now.dropFirst(keys.count)))
                    : nil
                for (index, column) in others.enumerated()
                where was[keys.count + index] != now[keys.count + index]
                    && compared?.contains(column) != false
                {
                    note("\(column) was \(was[keys.count + index]), is \(now[keys.count + index])")
                }
            }
            if order <= 0 { was = try stored.nextRow()?.values }
            if order >= 0 { now = try made.nextRow()?.values }
        }
    }

    /// Returns the order of two rows by key. A missing row comes last.
    private static func order(_ left: [Value]?, _ right: [Value]?, width: Int) -> Int {
        guard let left else { return 1 }
        guard let right else { return -1 }
        for (one, other) in zip(left, right).prefix(width) where one != other {
            return one.isBefore(other) ? -1 : 1
        }
        return 0
    }

    private func note(_ difference: String) {
        differences += 1
        differ(difference)
    }
}
