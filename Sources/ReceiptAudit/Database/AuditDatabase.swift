import AppReceipt
import CSQLite
import Foundation
import OfferEligibility
import ReceiptEvidence
import ReceiptExamination
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The database of one run, which is new or resumed.
final class AuditDatabase {
    let path: String
    private let connection: Connection
    /// The lock of the thread that uses the connection.
    private let turn = NSLock()

    /// Opens an existing database, or creates a file that only its owner can access.
    convenience init(path: String, isReadOnly: Bool = false) throws(AuditError) {
        let file = InputFile(path: path)
        // SQLite would open the folder, and report a disk error when it reads.
        if try file.isFolder { throw AuditError("\(path): \(systemMessage(EISDIR))") }
        if !isReadOnly { try DatabaseFile.make(path) }
        // SQLite treats some names, such as :memory:, specially, but never a path with a slash.
        let name = path.hasPrefix("/") ? path : "./" + path
        // An attacker can build a database whose queries never end. A replay takes fewer than four
        // steps of SQLite's virtual machine per byte.
        let steps = isReadOnly ? 20_000_000 + min(file.size ?? 0, 1 << 50) * 40 : nil
        try self.init(file: name, path: path, steps: steps)
    }

    /// Creates a database that no other process can see. SQLite unlinks its file at once, so the file
    /// disappears even if the process is killed.
    static func temporary() throws(AuditError) -> AuditDatabase {
        let database = try AuditDatabase(file: "", path: "temporary database", steps: nil)
        // The database is discarded as a whole if anything fails.
        try database.access { try $0.execute("PRAGMA journal_mode = OFF") }
        return database
    }

    /// - Parameter steps: The limit on SQLite's work for a read-only database, or nil for the audit's own.
    private init(file: String, path: String, steps: Int?) throws(AuditError) {
        self.path = path
        do {
            connection = try Connection(path: file, isReadOnly: steps != nil)
            // Another run may lock the file for a moment while it opens it. Two runs never wait for each other.
            connection.setBusyTimeout(milliseconds: 1000)
            // SQLite recommends these settings for untrusted files. A record with its names has at most 64
            // MiB.
            try connection.execute(
                "PRAGMA cache_size = -2048; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            connection.limitLength(to: 64 << 20)
            if let steps { connection.limitSteps(to: steps) }
            // SQLite reads the file only now.
            try connection.execute("SELECT * FROM sqlite_master LIMIT 1")
        } catch {
            // SQLite does not report the reason, but opening the file again does.
            let isUnopened = error.primaryCode == SQLITE_CANTOPEN && !file.isEmpty
            let descriptor = isUnopened ? unsafe open(path, O_RDONLY) : 0
            let reason = descriptor < 0 ? systemMessage(errno) : AuditDatabase.reason(error)
            if descriptor > 0 { close(descriptor) }
            throw AuditError("\(path): \(reason)")
        }
    }

    /// Locks the database until ``unlock()``, before anything is read. Two runs that read first would each
    /// hold a lock that the other one waits for.
    func lock() throws(AuditError) {
        try access { database in
            // Larger pages halve the work if rows are written and read in order, as nearly all are. An
            // existing database keeps its page size.
            try database.execute("PRAGMA page_size = 16384")
            try database.transaction(.exclusive) {
                try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            }
        }
    }

    /// Unlocks the database. SQLite releases an exclusive lock at the first access in normal mode.
    func unlock() {
        try? access { database in
            try database.execute("PRAGMA locking_mode = NORMAL")
            try database.execute("SELECT count(*) FROM sqlite_master")
        }
    }

    /// Runs `body` and reports errors of SQLite as one line that begins with the path.
    func access<Value>(_ body: (Connection) throws -> Value) throws(AuditError) -> Value {
        do {
            return try turn.withLock { try body(connection) }
        } catch let error as AuditError {
            throw error
        } catch {
            throw AuditError("\(path): \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? SQLiteError else { return "\(error)" }
        if error.code == SQLITE_IOERR | 25 << 8 {  // SQLITE_IOERR_GETTEMPPATH
            return "no folder for temporary files (TMPDIR)"
        }
        return switch error.primaryCode {
        case SQLITE_FULL: "no space left, or none for temporary files (TMPDIR)"
        case SQLITE_NOTADB, SQLITE_CORRUPT: "not an audit database, or damaged"
        case SQLITE_BUSY, SQLITE_LOCKED: "in use by another run"
        case SQLITE_INTERRUPT: "not an audit database: reading it takes too long for its size"
        default: error.message
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
            try database.transaction {
                try database.execute(AuditSchema.tables)
                try database.execute(AuditSchema.views)
                try database.execute("PRAGMA application_id = \(AuditSchema.applicationID)")
                try database.execute("PRAGMA user_version = \(AuditSchema.version)")
                try database.prepare(
                    """
                    INSERT INTO runs (id, tool_version, arguments, settings, anchors, catalog_sha256, as_of,
                        as_of_is_clock, started_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, ReceiptVerifier.packageVersion, json(arguments), json(named),
                    json(audit.settings.anchors),
                    audit.settings.catalogDigest, audit.settings.asOf.timestamp.millisecondsSince1970,
                    audit.settings.isClock, instant.millisecondsSince1970
                ).execute()
                try RevocationListUse.insert(audit.settings.revocation.lists, into: database)
            }
        }
    }

    /// Returns whether the database contains a run. The result is false for a new file, and for a run that
    /// was interrupted before its first rows.
    /// - Throws: ``AuditError`` if the database is not an audit's.
    func holdsRun() throws(AuditError) -> Bool {
        try access { database in
            let application: Int? = try database.prepare("PRAGMA application_id").firstValue()
            let isEmpty = try database.prepare("SELECT 1 FROM sqlite_master").firstRow() == nil
            if application == 0 && isEmpty { return false }
            guard application == AuditSchema.applicationID else {
                throw AuditError("\(path): not an audit database")
            }
            let version = try database.prepare("PRAGMA user_version").firstValue() ?? 0
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
            guard let row = try database.prepare("SELECT * FROM runs").firstRow() else {
                throw AuditError("\(path): contains no audit run")
            }
            var progress = Progress()
            for (name, count) in AuditCounts.columns { progress.counts[keyPath: count] = try row[name] }
            progress.counts.leftOut = try LeftOut(of: row)
            progress.ndjsonBytes = try row["ndjson_bytes"]
            progress.ndjsonDigest = try row["ndjson_digest"]
            progress.isFinished = try row["ended_at"] as Int64? != nil
            progress.counts.root = try row["root"]
            let hashes: [UInt8] = try row["tree"] ?? []
            progress.tree = try UInt64(exactly: row["records"] as Int64)
                .flatMap { MerkleFrontier(count: $0, bytes: hashes) }
            for row in try database.prepare(
                """
                SELECT kind, count(*) AS records FROM receipts
                WHERE kind <> 'receipt' AND status = 'genuine' GROUP BY kind
                """
            ).rows() { progress.counts.others[try row["kind"]] = try row["records"] }
            for row in try database.prepare(
                "SELECT kind, count(*) AS records FROM receipts WHERE status = 'foreign' GROUP BY kind"
            ).rows() {
                let name: String = try row["kind"]
                guard let kind = ForeignKind.allCases.first(where: { $0.storedName == name }) else {
                    continue
                }
                progress.counts.foreign[kind] = try row["records"]
            }
            guard progress.counts.unreadable > 0 else { return progress }
            let first = try database.prepare(
                """
                SELECT source, place, record, refusal_message FROM receipts WHERE refusal_code = 'unreadable'
                ORDER BY id LIMIT 1
                """
            ).firstRow()
            progress.counts.firstUnreadable = try first.map { row in
                let name = try row["record"] as String? ?? AuditCounts.name(row["place"], of: row["source"])
                return "\(name): \(try row["refusal_message"] as String)"
            }
            return progress
        }
    }

    /// Returns the instant that the run asks about.
    func asOf() throws(AuditError) -> EligibilityInstant? {
        try access { database in
            guard let row = try database.prepare("SELECT as_of, as_of_is_clock FROM runs").firstRow() else {
                return nil
            }
            let date = Timestamp(millisecondsSince1970: try row["as_of"])
            return try row["as_of_is_clock"] ? .clock(date) : .date(date)
        }
    }

    /// Returns the run's settings, or nil if its row has none that can be read.
    func recordedSettings() throws(AuditError) -> RecordedSettings? {
        guard let asOf = try asOf() else { return nil }
        return try access { database in
            guard
                let run = try database.prepare("SELECT settings, anchors, catalog_sha256 FROM runs")
                    .firstRow(),
                let named = try? StoredJSON.settings(run["settings"]),
                let anchors = try? AuditAnchor.list(run["anchors"])
            else { return nil }
            return RecordedSettings(
                asOf: asOf, named: named, anchors: anchors, catalogDigest: try run["catalog_sha256"])
        }
    }

    /// Returns the names of the run's sources as they were given, or nil if their number is not `count`.
    func sourceNames(_ count: Int? = nil) throws(AuditError) -> [String]? {
        let names = try recordedSettings()?.list("sources")
        return count == nil || names?.count == count ? names : nil
    }

    /// Returns those of the names whose settings differ from the wanted ones.
    func differing(_ wanted: [String: String], among names: [String]) throws(AuditError) -> Set<String> {
        let found = try recordedSettings()?.named ?? [:]
        return Set(names.filter { !found[$0].isExactly(wanted[$0]) })
    }

    /// Fails if the run's answers may differ from those under the wanted settings, and names the difference.
    /// - Parameter ignored: The settings that need not agree.
    func require(_ wanted: [String: String], ignoring ignored: Set<String> = []) throws(AuditError) {
        let path = path
        try access { database in
            let text = try database.prepare("SELECT settings FROM runs").firstValue() ?? "{}"
            guard let found = try? StoredJSON.settings(text), try json(found).isExactly(text)
            else { throw AuditError("\(path): runs: invalid settings") }
            for name in Set(found.keys).union(wanted.keys).subtracting(ignored).sorted()
            where !found[name].isExactly(wanted[name]) {
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

extension LeftOut {
    /// Reads the counts from the run's row. They are NULL until the end of the run.
    init(of run: Row) throws {
        self.init()
        (hidden, filtered) = (try run["hidden"] ?? 0, try run["filtered"] ?? 0)
        (links, blankLines) = (try run["links"] ?? 0, try run["blank_lines"] ?? 0)
    }
}
