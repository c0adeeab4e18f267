import AppReceipt
import Foundation
import OfferEligibility
import ReceiptEvidence
import RecordSources
import SQLite
import StrictJSON

/// A writer of the rows of an audit. Each transaction contains many records and the progress of the run.
final class AuditWriter {
    let database: AuditDatabase
    private(set) var progress: AuditDatabase.Progress
    /// The eligibility question about customers, or nil if there is none.
    var question: EligibilityQuestion?
    /// The sink for the lines of the rows.
    var lines: LineSink?
    /// The use of the revocation lists, or nil if there are none.
    var revocation: RevocationListUse?
    private var pending = 0
    /// The tree of the rows written so far.
    private(set) var records: MerkleFrontier
    /// The tree of the resumed run, and the tree of the rows that were read again.
    private let known: MerkleFrontier
    private var recognized = MerkleFrontier()
    private let tree: MerkleTree
    private var certificates: [[UInt8]: Int64] = [:]
    private var lastChain: (certificates: [CertificateFacts], keys: [Int64]) = ([], [])
    /// The candidates for findings among the rows written so far.
    private var candidates: FindingCandidates
    private var receipts = RowQueue(.receipts)
    /// The queue of each ``ReceiptRows/Table``.
    private var tables = ReceiptRows.Table.allCases.map { RowQueue($0.rows) }
    private var verdicts = RowQueue(.verdicts)

    /// The number of records between two commits: the maximum that a resumed run repeats.
    private let recordsPerCommit: Int

    init(_ database: AuditDatabase, _ tree: MerkleTree, recordsPerCommit: Int) throws(AuditError) {
        (self.database, self.tree) = (database, tree)
        self.recordsPerCommit = recordsPerCommit
        progress = try database.progress()
        candidates = try database.access { try FindingCandidates(of: $0) }
        guard let records = progress.tree, records.count == progress.counts.records else {
            throw AuditError("\(database.path): runs: invalid tree")
        }
        (self.records, known) = (records, records)
        let rows = try database.access { connection in
            try connection.prepare("SELECT id, sha256 FROM certificates").map { row -> (Int64, [UInt8]) in
                let text: String = try row["sha256"]
                guard let digest = [UInt8](hexadecimal: text.utf8), hexadecimal(digest) == text else {
                    throw AuditError("\(database.path): certificates: invalid sha256")
                }
                return (try row["id"], digest)
            }
        }
        for (id, digest) in rows { certificates[digest] = id }
        // The run is being resumed.
        if progress.counts.records > 0, !progress.isFinished {
            try database.access { try candidates.read($0) }
        }
    }

    /// Adds rows, and commits if there are enough. The caller has already written their lines.
    /// - Parameter counts: The counts of the rows.
    func append(_ rows: [ReceiptRows], _ leaves: [SHA256Digest], _ counts: AuditCounts) throws(AuditError) {
        try requireRecognized()
        try tree.append(leaves, to: &records)
        try database.access { database in
            if pending == 0 { try database.begin() }
            for (index, row) in rows.enumerated() {
                try insert(row, Int64(progress.counts.records + index + 1), database)
            }
            progress.counts.add(recordsOf: counts)
            pending += rows.count + counts.notSelected
            progress.ndjsonBytes = lines?.position ?? 0
            if pending >= recordsPerCommit { try commit(database) }
        }
    }

    /// Compares records that were read again with the rows that the run wrote for them. The rows contain a
    /// digest of each receipt anyway, and another digest would slow down every run.
    /// - Throws: ``AuditError`` if a source has changed.
    func recognize(_ rows: [ReceiptRows]) throws(AuditError) {
        try database.access { database in
            let digest = RowTable.receipts.cell("sha256")
            let columns = RowTable.receipts.cells.joined(separator: ", ")
            let statement = try database.cachedStatement("SELECT \(columns) FROM receipts WHERE id = ?")
            for row in rows {
                let found = try statement.bind(Int64(recognized.count + 1)).firstRow()?.values
                let now = row.values(ReceiptRows.receipt)
                // Without a digest, the reason for its absence is compared. Leaves are not compared, because
                // a leaf covers the answer, which this pass does not compute.
                let width = now[digest] == .null ? now.count - 1 : digest + 1
                guard let found, found.prefix(width) == now.prefix(width),
                    case .blob(let bytes)? = found.last, let leaf = SHA256Digest(bytes)
                else {
                    let message = "not the record that the interrupted run read"
                    throw AuditError("\(row.name): \(message); --resume needs unchanged sources")
                }
                try tree.append([leaf], to: &recognized)
            }
        }
    }

    /// Fails if the records that were read again have fewer rows than before, or other leaves than those of
    /// the stored tree. The root would then differ from that of an uninterrupted run.
    func requireRecognized() throws(AuditError) {
        guard recognized.count >= known.count else {
            throw AuditError(
                "the records had \(known.count) signed objects, now \(recognized.count); --resume needs unchanged "
                    + "sources")
        }
        guard recognized == known else {
            throw AuditError("\(database.path): runs: tree does not match the leaves of receipts")
        }
    }

    /// Commits pending rows.
    func flush() throws(AuditError) { try database.access { if pending > 0 { try commit($0) } } }

    /// Writes the indexes, the findings and the end of the run in one transaction.
    func finish(_ counts: AuditCounts, root: String, at instant: () -> Timestamp) throws(AuditError) {
        try flush()
        let leftOut = counts.leftOut
        try database.access { database in
            try database.transaction {
                try database.execute(AuditSchema.indexes)
                for input in counts.inputs { try insert(input, database) }
                try revocation?.write(to: database)
                try RenewalApps.find(in: database)
                try Findings.insert(of: &candidates, into: database)
                try Incidents.insert(into: database)
                var asked: AskedProducts?
                var unused = LinkedEvidence.Unused()
                if let question {
                    unused = try Customers.evaluate(question, in: database, to: CustomerRows(database))
                    asked = try AskedProducts(question.rules.catalog, in: database)
                    try asked?.restrictVerdicts(in: database)
                }
                try database.prepare(
                    """
                    UPDATE runs SET ended_at = ?, hidden = ?, filtered = ?, links = ?, blank_lines = ?,
                        missing_fields = ?, root = ?
                    """, instant().millisecondsSince1970, leftOut.hidden, leftOut.filtered, leftOut.links,
                    leftOut.blankLines, list(counts.missingFields), root
                ).execute()
                try SkippedChecks.insert(
                    genuine: candidates.genuine, asked: asked, unused: unused,
                    emptySources: counts.emptySources, unreadFields: counts.unreadFields, into: database)
            }
        }
        (progress.counts.leftOut, progress.counts.root) = (leftOut, root)
        progress.isFinished = true
    }

    private func commit(_ database: Connection) throws {
        try receipts.flush(database)
        for index in tables.indices { try tables[index].flush(database) }
        try verdicts.flush(database)
        try revocation?.write(to: database)
        // Lines that the database records as written must survive a loss of power.
        try lines?.synchronize()
        try database.prepare(
            """
            UPDATE runs SET source_records = ?, records = ?, genuine = ?, not_apples = ?, refused = ?, unreadable = ?, absent = ?,
                foreign_values = ?, other_apps = ?, not_selected = ?,
                ndjson_bytes = ?, ndjson_digest = ?, tree = ?
            """, progress.counts.sourceRecords, progress.counts.records, progress.counts.genuine,
            progress.counts.notApples,
            progress.counts.refused, progress.counts.unreadable, progress.counts.absent,
            progress.counts.foreignValues, progress.counts.otherApps, progress.counts.notSelected,
            progress.ndjsonBytes, try lines?.digest(), records.bytes
        ).execute()
        try database.commit()
        pending = 0
    }

    private func insert(_ rows: ReceiptRows, _ id: Int64, _ database: Connection) throws {
        let cells = rows.cells
        let chain = try keys(of: rows.certificates, database)
        try receipts.add(
            id, chain.first, chain.count > 2 ? chain[1] : nil, chain.last, cells: cells, ReceiptRows.receipt,
            database)
        try tables[rows.table.rawValue].add(
            rowsOf: rows.width, key: id, cells: cells, rows.tableRows, database)
        try verdicts.add(
            rowsOf: RowTable.verdicts.width, key: id, cells: cells, rows.verdicts, database)
        try candidates.add(rows, receipt: id, signer: chain.first)
        if let input = rows.input { try insert(input, database) }
    }

    private func insert(_ input: InputFacts, _ database: Connection) throws {
        let statement = try database.cachedStatement(
            "INSERT INTO inputs (source, path, bytes, sha256) VALUES (?, ?, ?, ?)")
        try statement.bind(input.source, input.path, input.bytes, hexadecimal(input.sha256)).execute()
    }

    /// Returns the keys of the certificates. Most receipts have the same chain as the previous one.
    private func keys(of chain: [CertificateFacts], _ database: Connection) throws -> [Int64] {
        if chain.isEmpty { return [] }
        let last = lastChain.certificates
        if chain.count == last.count, chain.indices.allSatisfy({ chain[$0].sha256 == last[$0].sha256 }) {
            return lastChain.keys
        }
        lastChain = (chain, try chain.map { try key(of: $0, database) })
        return lastChain.keys
    }

    private static let certificateSQL = Insertion.SQL(.certificates)

    private func key(of certificate: CertificateFacts, _ database: Connection) throws -> Int64 {
        if let key = certificates[certificate.sha256] { return key }
        let key = Int64(certificates.count + 1)
        var cells = RowCells()
        cells.add(certificate: certificate)
        try Insertion(Self.certificateSQL, database).insert(key, cells: cells, cells.cells.indices, database)
        certificates[certificate.sha256] = key
        return key
    }
}

extension ReceiptRows {
    /// The name of the record for a message.
    var name: String {
        let table = RowTable.receipts
        guard case .text(let source) = cells.value(table.cell("source")),
            case .integer(let place) = cells.value(table.cell("place"))
        else {
            return "a record"
        }
        return AuditCounts.name(Int(place), of: String(decoding: source, as: UTF8.self))
    }
}
