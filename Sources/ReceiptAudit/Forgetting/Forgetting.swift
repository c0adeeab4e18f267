package import AppReceipt
import ReceiptEvidence
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The removal of records from the outputs of a finished audit: those of subjects, or single ones.
///
/// Each removed record leaves its number and the hash of its leaf, so that the Merkle root can still be computed. The
/// records of other subjects stay, even if they show the same purchases. Findings are computed again from the remaining
/// records. The counts of the run stay, because the root covers the forgotten records, too.
package struct Forgetting {
    /// The number of removed records. It is 0 if the database has none of these subjects.
    package private(set) var records = 0
    /// The Merkle root of the audit, which did not change.
    package private(set) var root = ""

    /// Removes records from a database.
    /// - Parameters:
    ///   - subjects: The subjects whose records are removed.
    ///   - names: The names of further records that are removed, see ``AuditDatabase/record(named:)``.
    ///   - path: The database.
    ///   - lines: The file of the same audit's lines, or nil if there is none.
    ///   - write: The closure that receives a line of NDJSON for each record, with its digests and its verdict, before the
    ///     record is removed. The last line has the root.
    /// - Throws: ``AuditError``. Nothing is removed if the database or the lines are not complete and consistent.
    package init(
        of subjects: [String], records names: [String] = [], in path: String, lines: String?,
        _ verifier: ReceiptVerifier,
        write: ([UInt8]) throws -> Void
    ) throws {
        try InputFile(path: path).requireExistence()
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
        records = try select(subjects, names, in: database)
        if records > 0 {
            try writeProvable(of: database, count: count, to: write)
            if let lines { try replaceLines(lines, of: database, tree) }
            try remove(from: database)
        }
        // An interrupted run may have removed the rows only.
        if try database.hasForgottenTable() { try database.access { try $0.execute("VACUUM") } }
    }

    /// Fills the table `temp.gone` with the numbers of the records.
    private func select(_ subjects: [String], _ names: [String], in database: AuditDatabase) throws -> Int {
        var chosen: [StoredRecord] = []
        for name in names where try !isForgotten(name, in: database) {
            chosen.append(try database.record(named: name))
        }
        return try database.access { database in
            try database.execute("CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)")
            // A record may have several signed objects.
            let objects = try database.prepare(
                "INSERT OR IGNORE INTO temp.gone SELECT id FROM main.receipts WHERE source = ? AND place = ?")
            for record in chosen { try objects.bind(record.source, record.place).execute() }
            let insertion = try database.prepare(
                "INSERT OR IGNORE INTO temp.gone SELECT id FROM main.receipts WHERE subject = ?")
            for subject in subjects {
                // As the database stores text.
                var cells = RowCells()
                cells.add(subject)
                try insertion.bind(cells.value(0)).execute()
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

    private static let provable = [
        "number", "leaf", "sha256", "content_sha256", "status", "refusal_code", "kind", "realm",
        "environment",
    ]

    private func writeProvable(
        of database: AuditDatabase, count: UInt64, to write: ([UInt8]) throws -> Void
    ) throws {
        try database.access { database in
            let rows = try database.prepare(
                """
                SELECT id, lower(hex(leaf)), \(Self.provable.dropFirst(2).joined(separator: ", ")) FROM main.receipts
                WHERE id IN (SELECT id FROM temp.gone) ORDER BY id
                """)
            while let row = try rows.nextRow()?.values {
                var json = JSONWriter()
                json.object { json in
                    for (name, value) in zip(Self.provable, row) {
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
            var json = JSONWriter()
            json.object { json in
                json.string("root", root)
                json.number("records", count)
                json.number("forgotten", records)
            }
            json.endLine()
            try write(json.bytes)
        }
    }

    /// Replaces the lines of the records by tombstones. The file at the path is always complete.
    private func replaceLines(_ path: String, of database: AuditDatabase, _ tree: MerkleTree) throws {
        let numbers = try database.access {
            try Set($0.prepare("SELECT id FROM temp.gone").values() as [Int])
        }
        try UnfinishedFile.write(to: path) { sink in
            var lines = try AuditLines(path: path)
            var bytes: [UInt8] = []
            let fault = try lines.compare(with: database, tree, isGoing: numbers.contains) {
                number, leaf, line in
                bytes += numbers.contains(number) ? AuditLines.tombstone(leaf) : line
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
    }

    private func remove(from database: AuditDatabase) throws {
        let isFirst = try !database.hasForgottenTable()
        try database.access { database in
            // SQLite overwrites deleted content with zeros.
            try database.execute("PRAGMA secure_delete = ON")
            try database.transaction {
                if isFirst { try database.execute(AuditSchema.forgotten) }
                try database.execute(Self.removal)
                try Findings.insert(into: database)
                try Incidents.insert(into: database)
            }
        }
    }

    private static let removal = """
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
