import AppReceipt
import CSQLiteSettings
import Foundation
import GRDB
import GRDBSQLite
import OfferEligibility
import ReceiptEvidence
import Synchronization

/// The database of one run: made, or taken up where the run was killed.
final class AuditDatabase {
    let path: String
    private let queue: DatabaseQueue
    /// Of a database that is only read; nil for one's own.
    private let steps: StepLimit?

    /// Opens what is there, or makes a file that is its owner's alone.
    /// - Throws: ``AuditError``.
    convenience init(path: String, isReadOnly: Bool = false) throws(AuditError) {
        let file = InputFile(path: path)
        // SQLite would open it, and tell of a disk's error when it reads.
        if try file.isFolder { throw AuditError("\(path): \(systemMessage(EISDIR))") }
        if !isReadOnly { try DatabaseFile.make(path) }
        // Some names mean no file to SQLite, such as :memory:; no path does.
        let name = path.hasPrefix("/") ? path : "./" + path
        try self.init(file: name, path: path, steps: isReadOnly ? StepLimit(bytes: file.size ?? 0) : nil)
    }

    /// One that nobody else sees: SQLite unlinks its file when it is made, whatever ends the process.
    /// - Throws: ``AuditError``.
    static func temporary() throws(AuditError) -> AuditDatabase {
        let database = try AuditDatabase(file: "", path: "temporary database", steps: nil)
        // What fails is thrown away whole.
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
        // A look at what each row refers to costs as much as to write it, and who doubts the rows makes them anew.
        configuration.foreignKeysEnabled = false
        // Another run may be on its way in; two that wait for each other there is not.
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // SQLite's advice for files of strangers. 64 MiB are more than a record with its names may have.
            try database.execute(
                sql: "PRAGMA cache_size = -2048; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, 64 << 20)
            steps?.install(on: database)
        }
        do {
            queue = try DatabaseQueue(path: file, configuration: configuration)
        } catch {
            // SQLite does not tell why; opening it once more does.
            let isUnopened = (error as? DatabaseError)?.resultCode == .SQLITE_CANTOPEN && !file.isEmpty
            let descriptor = isUnopened ? unsafe open(path, O_RDONLY) : 0
            let reason = descriptor < 0 ? systemMessage(errno) : AuditDatabase.reason(error)
            if descriptor > 0 { close(descriptor) }
            throw AuditError("\(path): \(reason)")
        }
    }

    /// SQLite's for the process, where nothing of it was used before. Nobody asks how much memory it takes.
    private static let settings = sqlite3_config_without_memory_statistics()

    /// Dispatch disposes of a queue with GRDB's mark in a thread of its own, and waits for ever where the system makes
    /// none: the queues of closed databases are kept, a few hundred bytes each.
    private static let closed = Mutex<[DatabaseQueue]>([])

    deinit {
        let queue = queue
        try? queue.close()
        Self.closed.withLock { $0.append(queue) }
    }

    /// Keeps everybody else out until ``unlock()``, before anything is read: two runs that read first would each hold
    /// a lock that the other one waits for.
    func lock() throws(AuditError) {
        try access { database in
            // Half the work where rows come and go in order, as nearly all do. Of a database that is there it changes
            // nothing.
            try database.execute(sql: "PRAGMA page_size = 16384")
            try database.inTransaction(.exclusive) {
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                return .commit
            }
        }
    }

    /// Lets others have the file: SQLite gives an exclusive lock back at the first access in the normal mode.
    func unlock() {
        try? access { database in
            try database.execute(sql: "PRAGMA locking_mode = NORMAL")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
        }
    }

    /// Whatever SQLite says is told in one line that begins with the file.
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

    /// How far the run had come.
    struct Progress {
        var counts = AuditCounts()
        var ndjsonBytes = 0
        /// Of these bytes; nil where the run wrote none.
        var ndjsonDigest: String?
        /// Over the records so far; nil where what stands there is of another number of them.
        var tree: MerkleFrontier? = MerkleFrontier()
        var isFinished = false
    }

    /// Makes the tables and the run's row.
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

    /// Whether there is a run in it; false for a file that is new, or was killed before its first rows.
    /// - Throws: ``AuditError`` for a database that is no audit's.
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

    /// The instant that the run asks about.
    func asOf() throws(AuditError) -> EligibilityInstant? {
        try access { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT as_of, as_of_is_clock FROM runs") else {
                return nil
            }
            let date = Timestamp(millisecondsSince1970: row["as_of"])
            return row["as_of_is_clock"] ? .clock(date) : .date(date)
        }
    }

    /// Nil where the run's row holds none that can be read.
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

    /// What the run called its sources; nil where it had another number of them.
    func sourceNames(_ count: Int) throws(AuditError) -> [String]? {
        let names = try sourceNames()
        return names?.count == count ? names : nil
    }

    /// The sources of the run, as it was given them.
    func sourceNames() throws(AuditError) -> [String]? {
        try recordedSettings(.date(Timestamp(millisecondsSince1970: 0)))?.list("sources")
    }

    /// Fails where the run's answers may be others than under the settings that are wanted, and names what differs.
    /// - Parameter ignored: settings that need not agree.
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
