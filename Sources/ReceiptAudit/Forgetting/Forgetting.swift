package import AppReceipt
import Foundation
import ReceiptEvidence
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON
import SystemLibrary

/// The removal of records from the outputs of a finished audit: those of subjects, or single ones.
///
/// Each removed record leaves its number and the hash of its leaf, so that the Merkle root can still be computed. The
/// records of other subjects stay, even if they show the same purchases. Findings are computed again from the remaining
/// records. The counts of the run stay, because the root covers the forgotten records, too.
package struct Forgetting {
    /// The number of removed records. It is 0 if the database has none of these subjects.
    package private(set) var records = 0
    /// The number of records that were forgotten before, if this run completed an interrupted one. Otherwise 0.
    package private(set) var completed = 0
    /// The subjects and names without a record.
    package private(set) var missing: [String] = []
    /// The Merkle root of the audit, which did not change.
    package private(set) var root = ""

    /// Removes records from a database.
    /// - Parameters:
    ///   - subjects: The subjects whose records are removed.
    ///   - names: The names of further records that are removed, see ``AuditDatabase/record(named:)``.
    ///   - path: The database.
    ///   - lines: The file of the same audit's lines, or nil if there is none.
    ///   - isInterrupted: Whether an interrupted run is known to have left the outputs incomplete. If nil, this is unknown.
    ///   - begin: The closure that is called before the first change.
    ///   - write: The closure that receives a line of NDJSON for each record, with its digests and its verdict, before the
    ///     record is removed. The last line has the root. If this run completes an interrupted one, the lines of the forgotten
    ///     records have only number and leaf.
    /// - Throws: ``AuditError``. Nothing is removed if the database or the lines are not complete and consistent.
    package init(
        of subjects: [String], records names: [String] = [], in path: String, lines: String?,
        isInterrupted: Bool? = nil, _ verifier: ReceiptVerifier, begin: () throws -> Void = {},
        write: ([UInt8]) throws -> Void
    ) throws {
        try InputFile(path: path).requireExistence()
        let lines = try lines.map(Self.onlyFile)
        let database = try AuditDatabase(path: path)
        defer { database.unlock() }
        try database.lock()
        guard try database.holdsRun() else { throw AuditError("\(path): contains no audit run") }
        try database.requireSchema(mayHaveForgotten: true)
        if let fault = try database.integrityFaults().first { throw AuditError("\(path): \(fault)") }
        try database.requireValues()
        let tree = MerkleTree(verifier)
        let (root, count) = try database.requireTree(tree)
        guard try StoredLeaves(database, tree).root(of: 0..<count).text == root else {
            throw AuditError("\(path): receipts: leaves do not match the Merkle root")
        }
        self.root = root
        let earlier = try database.forgotten()
        records = try select(subjects, names, in: database)
        guard records > 0 || earlier > 0 && isInterrupted != false else { return }
        if let lines {
            try UnfinishedFile.requireWritable(beside: lines, name: lines)
            Self.removeUnfinished(lines)
        }
        if records > 0 {
            try writeLines(
                Self.provable, from: "main.receipts WHERE id IN (SELECT id FROM temp.gone)", of: database,
                count: count, forgotten: records, to: write)
        }
        try begin()
        // An interrupted run may have removed the rows only.
        let hasChanged = try lines.map { try replaceLines($0, of: database, tree) } ?? false
        if records > 0 { try remove(from: database) }
        let hasFreePages = try database.access { database in
            let pages: Int = try database.prepare("PRAGMA freelist_count").firstValue() ?? 0
            try database.execute("VACUUM")
            return pages > 0
        }
        guard records == 0, isInterrupted == true || hasChanged || hasFreePages else { return }
        completed = earlier
        try writeLines(
            Self.forgotten, from: "forgotten", of: database, count: count, forgotten: completed, to: write)
    }

    /// Returns the path of the file itself, because a link to it would be replaced and the file would stay.
    private static func onlyFile(_ path: String) throws(AuditError) -> String {
        var status = stat()
        guard let resolved = unsafe realpath(path, nil) else {
            throw AuditError("\(path): \(systemMessage(errno))")
        }
        defer { unsafe free(resolved) }
        guard unsafe stat(resolved, &status) == 0, status.kind == S_IFREG else {
            throw AuditError("\(path): not a file")
        }
        guard status.st_nlink == 1 else {
            throw AuditError(
                "\(path): has \(status.st_nlink) hard links, and the others would keep the lines; remove them"
            )
        }
        return unsafe String(cString: resolved)
    }

    /// Removes the unfinished files of an output that interrupted runs left.
    static func removeUnfinished(_ path: String) {
        let file = URL(filePath: path)
        let folder = file.deletingLastPathComponent().path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix("\(file.lastPathComponent).") && UnfinishedFile.isName(name) {
            _ = unsafe unlink("\(folder)/\(name)")
        }
    }

    /// Fills the table `temp.gone` with the numbers of the records.
    private mutating func select(
        _ subjects: [String], _ names: [String], in database: AuditDatabase
    ) throws -> Int {
        var chosen: [StoredRecord] = []
        let hasForgotten = try database.forgotten() > 0
        for name in names where try !isForgotten(name, in: database) {
            // The name of a forgotten record is unknown. Its number is not.
            if hasForgotten, !name.hasPrefix("number:") {
                if let record = try database.firstRecord(named: name) {
                    chosen.append(record)
                } else {
                    missing.append(name)
                }
            } else {
                chosen.append(try database.record(named: name))
            }
        }
        var unknown: [String] = []
        defer { missing += unknown }
        return try database.access { database in
            try database.execute("CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)")
            // A record may have several signed objects.
            let objects = try database.prepare(
                "INSERT OR IGNORE INTO temp.gone SELECT id FROM main.receipts WHERE source = ? AND place = ?")
            for record in chosen { try objects.bind(record.source, record.place).execute() }
            let insertion = try database.prepare(
                "INSERT OR IGNORE INTO temp.gone SELECT id FROM main.receipts WHERE subject = ?")
            let known = try database.prepare(
                "SELECT EXISTS (SELECT 1 FROM main.receipts WHERE subject = ?)")
            for subject in subjects {
                // As the database stores text.
                var cells = RowCells()
                cells.add(subject)
                try insertion.bind(cells.value(0)).execute()
                if try known.bind(cells.value(0)).firstValue() != true { unknown.append(subject) }
            }
            return try database.prepare("SELECT count(*) FROM temp.gone").firstValue() ?? 0
        }
    }

    /// Returns whether an interrupted run has removed the record `number:N`.
    private func isForgotten(_ name: String, in database: AuditDatabase) throws -> Bool {
        guard name.hasPrefix("number:"), let number = Int64(name.dropFirst(7)),
            try database.hasForgottenTable()
        else {
            return false
        }
        return try database.access {
            try $0.prepare("SELECT EXISTS (SELECT 1 FROM forgotten WHERE id = ?)", number).firstValue()
                == true
        }
    }

    /// The columns of a line about a forgotten record.
    private static let forgotten = ["id AS number", "lower(hex(leaf)) AS leaf"]
    /// The columns of a line about a record that is removed.
    private static let provable =
        forgotten + ["sha256", "content_sha256", "status", "refusal_code", "kind", "realm", "environment"]

    /// Writes a line for each row of a query, and the root.
    private func writeLines(
        _ columns: [String], from source: String, of database: AuditDatabase, count: UInt64, forgotten: Int,
        to write: ([UInt8]) throws -> Void
    ) throws {
        try database.access { database in
            let columns = columns.joined(separator: ", ")
            try database.prepare("SELECT \(columns) FROM \(source) ORDER BY id").forEach { row in
                var json = JSONWriter()
                json.object { json in
                    for (name, value) in zip(row.names, row.values) {
                        json.key(text: name)
                        switch value {
                        case .integer(let number): json.number(number)
                        case .text(let text): json.string(String(decoding: text, as: UTF8.self))
                        case .null, .real, .blob: json.null()
                        }
                    }
                }
                json.endLine()
                try write(json.bytes)
            }
        }
        var json = JSONWriter()
        json.object { json in
            json.string("root", root)
            json.number("records", count)
            json.number("forgotten", forgotten)
        }
        json.endLine()
        try write(json.bytes)
    }

    /// Replaces the lines of the records, and of those forgotten before, by tombstones. The file at the path is always
    /// complete.
    /// - Returns: Whether the lines were different.
    private func replaceLines(_ path: String, of database: AuditDatabase, _ tree: MerkleTree) throws -> Bool {
        func ids(in table: String) throws -> Set<Int> {
            try database.access { try Set($0.prepare("SELECT id FROM \(table)").values() as [Int]) }
        }
        let numbers = try ids(in: "temp.gone")
        let forgotten = try database.hasForgottenTable() ? try ids(in: "forgotten") : []
        var hasChanged = false
        try UnfinishedFile.write(to: path) { sink in
            var lines = try AuditLines(path: path)
            var bytes: [UInt8] = []
            let fault = try lines.compare(with: database, tree, replacing: numbers) {
                number, leaf, line in
                let isGone = numbers.contains(number) || forgotten.contains(number)
                let kept = isGone ? AuditLines.tombstone(leaf) : line
                hasChanged = hasChanged || kept != line
                bytes += kept
                bytes.append(0x0A)
                guard bytes.count > 1 << 16 else { return }
                try sink.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            switch fault {
            case .lines(let message)?, .database(let message)?: throw AuditError("\(path): \(message)")
            case nil: break
            }
            try sink.write(bytes)
            try sink.synchronize()
        }
        return hasChanged
    }

    private func remove(from database: AuditDatabase) throws {
        let isFirst = try !database.hasForgottenTable()
        try database.access { database in
            // SQLite overwrites deleted content with zeros.
            try database.execute("PRAGMA secure_delete = ON")
            try database.transaction {
                if isFirst { try database.execute(AuditSchema.forgotten) }
                try database.execute(Self.removal)
                var candidates = try FindingCandidates(of: database)
                try candidates.read(database)
                try Findings.insert(of: &candidates, into: database)
                try Incidents.insert(into: database)
                try SkippedChecks.insertKinds(genuine: candidates.genuine, into: database)
            }
        }
    }

    /// The free page that a dropped table leaves shows that `VACUUM` was not run yet.
    private static let removal = """
        CREATE TABLE main.unfinished (id);
        DROP TABLE main.unfinished;
        INSERT INTO main.forgotten SELECT id, leaf FROM main.receipts WHERE id IN (SELECT id FROM temp.gone);
        \([
            "transactions", "renewals", "app_transactions", "notifications", "realtime_requests", "verdicts",
        ].map { "DELETE FROM main.\($0) WHERE receipt_id IN (SELECT id FROM temp.gone);" }.joined(separator: "\n"))
        CREATE TEMP TABLE gone_customers AS
            SELECT DISTINCT customer_id AS id FROM main.customer_receipts WHERE receipt_id IN (SELECT id FROM temp.gone);
        DELETE FROM main.subject_verdicts WHERE customer_id IN (SELECT id FROM temp.gone_customers);
        DELETE FROM main.customer_receipts WHERE customer_id IN (SELECT id FROM temp.gone_customers);
        DELETE FROM main.customers WHERE id IN (SELECT id FROM temp.gone_customers);
        DELETE FROM main.inputs WHERE path IS NOT NULL AND (source, path) IN (
            SELECT source, record FROM main.receipts WHERE id IN (SELECT id FROM temp.gone));
        DELETE FROM main.incident_findings;
        DELETE FROM main.incidents;
        DELETE FROM main.finding_evidence;
        DELETE FROM main.findings;
        DELETE FROM main.finding_kinds;
        DELETE FROM main.receipts WHERE id IN (SELECT id FROM temp.gone);
        UPDATE main.runs SET ndjson_bytes = 0, ndjson_digest = NULL;
        """
}
