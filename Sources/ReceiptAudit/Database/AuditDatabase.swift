import AppReceipt
import CSQLiteSettings
import Foundation
import GRDB
import GRDBSQLite
import OfferEligibility
import ReceiptEvidence
import Synchronization

/// The database of one run, which is new or resumed.
final class AuditDatabase {
    let path: String
    private let queue: DatabaseQueue
    /// The limit on SQLite's work for a read-only database, or nil for the audit's own.
    private let steps: StepLimit?

    /// Opens an existing database, or creates a file that only its owner can access.
    /// - Throws: ``AuditError``.
    convenience init(path: String, isReadOnly: Bool = false) throws(AuditError) {
        let file = InputFile(path: path)
        // SQLite would open the folder, and report a disk error when it reads.
        if try file.isFolder { throw AuditError("\(path): \(systemMessage(EISDIR))") }
        if !isReadOnly { try DatabaseFile.make(path) }
        // SQLite treats some names, such as :memory:, specially, but never a path with a slash.
        let name = path.hasPrefix("/") ? path : "./" + path
        try self.init(file: name, path: path, steps: isReadOnly ? StepLimit(bytes: file.size ?? 0) : nil)
    }

    /// Creates a database that no other process can see. SQLite unlinks its file at once, so the file
    /// disappears even if the process is killed.
    /// - Throws: ``AuditError``.
    static func temporary() throws(AuditError) -> AuditDatabase {
        let database = try AuditDatabase(file: "", path: "temporary database", steps: nil)
        // The database is discarded as a whole if anything fails.
        try database.access { try $0.execute(sql: "PRAGMA journal_mode = OFF") }
        return database
    }

    private init(file: String, path: String, steps: StepLimit?) throws(AuditError) {
        (self.path, self.steps) = (path, steps)
        _ = Self.settings
        var configuration = Configuration()
        // A transaction spans many batches.
        configuration.allowsUnsafeTransactions = true
        configuration.readonly = steps != nil
        // Checking every reference costs as much as writing the row. An auditor who doubts the rows replays
        // the run.
        configuration.foreignKeysEnabled = false
        // Another run may lock the file for a moment while it opens it. Two runs never wait for each other.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // SQLite recommends these settings for untrusted files. No record with its names exceeds 64 MiB.
            try database.execute(
                sql: "PRAGMA cache_size = -2048; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, 64 << 20)
            steps?.install(on: database)
        }
        do {
            queue = try DatabaseQueue(path: file, configuration: configuration)
        } catch {
            // SQLite does not report the reason, but opening the file again does.
            let isUnopened = (error as? DatabaseError)?.resultCode == .SQLITE_CANTOPEN && !file.isEmpty
            let descriptor = isUnopened ? unsafe open(path, O_RDONLY) : 0
            let reason = descriptor < 0 ? systemMessage(errno) : AuditDatabase.reason(error)
            if descriptor > 0 { close(descriptor) }
            throw AuditError("\(path): \(reason)")
        }
    }

    /// Disables SQLite's memory statistics for the process, if SQLite was not used before. Nothing reads
    /// them.
    private static let settings = sqlite3_config_without_memory_statistics()

    /// The queues of closed databases, a few hundred bytes each. Dispatch would dispose of such a queue in a
    /// new thread, and wait forever if the system creates none. Keeping the queues avoids this.
    private static let closed = Mutex<[DatabaseQueue]>([])

    deinit {
        let queue = queue
        try? queue.close()
        Self.closed.withLock { $0.append(queue) }
    }

    /// Locks the database until ``unlock()``, before anything is read. Two runs that read first would each
    /// hold a lock that the other one waits for.
    func lock() throws(AuditError) {
        try access { database in
            // Larger pages halve the work if rows are written and read in order, as nearly all are. An
            // existing database keeps its page size.
            try database.execute(sql: "PRAGMA page_size = 16384")
            try database.inTransaction(.exclusive) {
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                return .commit
            }
        }
    }

    /// Unlocks the database. SQLite releases an exclusive lock at the first access in normal mode.
    func unlock() {
        try? access { database in
            try database.execute(sql: "PRAGMA locking_mode = NORMAL")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
        }
    }

    /// Runs `body` and reports errors of SQLite as one line that begins with the path.
    func access<Value>(_ body: (Database) throws -> Value) throws(AuditError) -> Value {
        do {
            return try queue.writeWithoutTransaction(body)
        } catch let error as AuditError {
            throw error
        } catch {
            throw AuditError("\(path): \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        if error.extendedResultCode == .SQLITE_IOERR_GETTEMPPATH {
            return "no folder for temporary files (TMPDIR)"
        }
        return switch error.resultCode {
        case .SQLITE_FULL: "no space left, or none for temporary files (TMPDIR)"
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: "not an audit database, or damaged"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "in use by another run"
        case .SQLITE_INTERRUPT: "not an audit database: reading it takes too long for its size"
        default: error.message ?? "\(error.resultCode)"
        }
    }

    // MARK: - The run

    struct Progress {
        var counts = AuditCounts()
        var ndjsonBytes = 0
        /// The digest of the NDJSON bytes, or nil if the run wrote none.
        var ndjsonDigest: String?
        /// The tree of the records so far, or nil if the stored one is for another number of records.
        var tree: MerkleFrontier? = MerkleFrontier()
        var isFinished = false
    }

    /// Creates the tables and the run's row.
    func begin(
        _ audit: Audit, _ named: [String: String], arguments: [String], at instant: Timestamp
    ) throws(AuditError) {
        try access { database in
            try database.inTransaction {
                try database.execute(sql: AuditSchema.tables)
                try database.execute(sql: AuditSchema.views)
                try database.execute(sql: "PRAGMA application_id = \(AuditSchema.applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(AuditSchema.version)")
                try database.execute(
                    sql: """
                        INSERT INTO runs (id, tool_version, arguments, settings, anchors, catalog_sha256, as_of,
                            as_of_is_clock, started_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        ReceiptVerifier.packageVersion, json(arguments), json(named),
                        json(audit.settings.anchors),
                        audit.settings.catalogDigest, audit.settings.asOf.timestamp.millisecondsSince1970,
                        audit.settings.isClock, instant.millisecondsSince1970,
                    ])
                return .commit
            }
        }
    }

    /// Returns whether the database contains a run. The result is false for a new file, and for a run that
    /// was interrupted before its first rows.
    /// - Throws: ``AuditError`` if the database is not an audit's.
    func holdsRun() throws(AuditError) -> Bool {
        try access { database in
            let application = try Int.fetchOne(database, sql: "PRAGMA application_id")
            let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
            if application == 0 && isEmpty { return false }
            guard application == AuditSchema.applicationID else {
                throw AuditError("\(path): not an audit database")
            }
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version == AuditSchema.version else {
                throw AuditError(
                    "\(path): schema version \(version), expected \(AuditSchema.version); made by another version of appreceipt"
                )
            }
            return true
        }
    }

    func progress() throws(AuditError) -> Progress {
        try access { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT * FROM runs") else {
                throw AuditError("\(path): contains no audit run")
            }
            var progress = Progress()
            progress.counts.sourceRecords = row["source_records"]
            progress.counts.genuine = row["genuine"]
            progress.counts.notApples = row["not_apples"]
            progress.counts.refused = row["refused"]
            progress.counts.unreadable = row["unreadable"]
            progress.counts.absent = row["absent"]
            progress.counts.leftOut.filtered = row["filtered"] ?? 0
            progress.counts.leftOut.hidden = row["hidden"] ?? 0
            progress.counts.leftOut.links = row["links"] ?? 0
            progress.counts.leftOut.blankLines = row["blank_lines"] ?? 0
            progress.ndjsonBytes = row["ndjson_bytes"]
            progress.ndjsonDigest = row["ndjson_digest"]
            progress.isFinished = row["ended_at"] != nil
            progress.counts.root = row["root"]
            let hashes = (row["tree"] as Data?).map { Array($0) } ?? []
            progress.tree = UInt64(exactly: row["records"] as Int64)
                .flatMap { MerkleFrontier(count: $0, bytes: hashes) }
            for row in try Row.fetchAll(
                database,
                sql: """
                    SELECT kind, count(*) AS records FROM receipts
                    WHERE kind <> 'receipt' AND status = 'genuine' GROUP BY kind
                    """)
            { progress.counts.others[row["kind"]] = row["records"] }
            guard progress.counts.unreadable > 0 else { return progress }
            let first = try Row.fetchOne(
                database,
                sql: """
                    SELECT source, place, record, refusal_message FROM receipts WHERE refusal_code = 'unreadable'
                    ORDER BY id LIMIT 1
                    """)
            progress.counts.firstUnreadable = first.map {
                "\($0["record"] as String? ?? AuditCounts.name($0["place"], of: $0["source"])): \($0["refusal_message"] as String)"
            }
            return progress
        }
    }

    /// Returns the instant that the run asks about.
    func asOf() throws(AuditError) -> EligibilityInstant? {
        try access { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT as_of, as_of_is_clock FROM runs") else {
                return nil
            }
            let date = Timestamp(millisecondsSince1970: row["as_of"])
            return row["as_of_is_clock"] ? .clock(date) : .date(date)
        }
    }

    /// Returns the run's settings, or nil if its row has none that can be read.
    func recordedSettings(_ asOf: EligibilityInstant) throws(AuditError) -> RecordedSettings? {
        try access { database in
            guard
                let run = try Row.fetchOne(
                    database, sql: "SELECT settings, anchors, catalog_sha256 FROM runs"),
                let named = try? JSON.decode([String: String].self, run["settings"]),
                let anchors = try? AuditAnchor.list(run["anchors"])
            else { return nil }
            return RecordedSettings(
                asOf: asOf, named: named, anchors: anchors, catalogDigest: run["catalog_sha256"])
        }
    }

    /// Returns the names of the run's sources, or nil if their number is not `count`.
    func sourceNames(_ count: Int) throws(AuditError) -> [String]? {
        let names = try sourceNames()
        return names?.count == count ? names : nil
    }

    /// Returns the names of the run's sources as they were given.
    func sourceNames() throws(AuditError) -> [String]? {
        try recordedSettings(.date(Timestamp(millisecondsSince1970: 0)))?.list("sources")
    }

    /// Fails if the run's answers may differ from those under the wanted settings, and names the difference.
    /// - Parameter ignored: The settings that need not agree.
    /// - Throws: ``AuditError``.
    func require(_ wanted: [String: String], ignoring ignored: Set<String> = []) throws(AuditError) {
        let path = path
        try access { database in
            let text = try String.fetchOne(database, sql: "SELECT settings FROM runs") ?? "{}"
            guard let found = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8)),
                try json(found) == text
            else { throw AuditError("\(path): runs: invalid settings") }
            for name in Set(found.keys).union(wanted.keys).subtracting(ignored).sorted()
            where found[name] != wanted[name] {
                throw AuditError(
                    "\(path): made with other settings: \(name) was \(found[name] ?? "unset"), is \(wanted[name] ?? "unset")"
                )
            }
        }
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
