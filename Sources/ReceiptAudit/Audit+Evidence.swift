package import AppReceipt
package import ReceiptEvidence
import ReceiptExamination
import ReceiptJSON
import RecordSources
import StrictJSON

extension Audit {
    /// The contents of a self-contained bundle of an audit.
    package struct WrittenBundle: Sendable {
        /// The SHA-256 of the list of the bundle's files. The auditor records it together with the Merkle
        /// root.
        package let digest: String
        /// The number of records whose evidence was written.
        package let records: Int
        /// The number of findings, and how many references of findings to records have no evidence in the
        /// bundle.
        package let findings: Int
        package let missing: Int
    }

    /// The names of the files in the bundle, except those of the evidence.
    enum Name {
        static let database = "audit.sqlite"
        static let lines = "lines.ndjson"
        static let page = "report.html"
        static let tables = "csv"
        static let customers = "subject-verdicts.ndjson"
        static let findings = "findings.ndjson"
        static let records = "records"
        static let revocation = "revocation"
        static let manifest = "manifest.json"
        static let readme = "README.txt"

        /// The outputs of the audit that every bundle has.
        static let outputs = [database, lines, page] + CSVExport.tables.map { "\(tables)/\($0.name)" }
    }

    /// The maximum number of records whose evidence is written, because people read the bundle.
    package static let mostEvidence = 200

    /// Reads all sources and writes a self-contained bundle for checking the result. It contains the
    /// database, report, lines, tables, findings with the evidence of their records, a manifest, and
    /// instructions.
    /// - Parameters:
    ///   - folder: A new or empty folder, or that of an interrupted run to resume it.
    ///   - tool: The program that performs the audit.
    ///   - maker: The maker of evidence, with the question of the audit.
    ///   - mostRecords: The maximum number of records whose evidence is written.
    /// - Throws: ``AuditError``.
    package func writeEvidence(
        to folder: String, by tool: AuditingTool, _ maker: EvidenceMaker, isResuming: Bool = false,
        arguments: [String] = [], jobs: Int,
        recordsPerCommit: Int = 16384, mostRecords: Int = mostEvidence, clock: () -> Timestamp,
        report: @escaping (Progress) -> Void = { _ in }
    ) throws -> (counts: AuditCounts, handed: WrittenBundle) {
        guard !sources.contains("-") else {
            throw AuditError(
                "-: evidence cannot be made from standard input; name files")
        }
        let forecast = isResuming ? nil : try BundleForecast(self)
        let free = BundleForecast.freeSpace(at: InputFile(path: folder).existingFolder)
        if let forecast, let free, forecast.bundle > free {
            notify(forecast.text(free))
            throw AuditError("\(folder): not enough space for the evidence")
        }
        let handed = try BundleFolder(
            folder, resuming: isResuming ? Name.database : nil, evaluator.examiner.verifier)
        try CSVExport.requireWritable(in: handed.path(of: Name.tables), isReplacing: isResuming)
        if let forecast { notify(forecast.text(free)) }
        let asked = evaluator.question == nil ? nil : handed.path(of: Name.customers)
        let counts = try writeDatabase(
            to: handed.path(of: Name.database), lines: handed.path(of: Name.lines),
            page: handed.path(of: Name.page), tables: handed.path(of: Name.tables), customers: asked,
            isResuming: isResuming, arguments: arguments, jobs: jobs, recordsPerCommit: recordsPerCommit,
            clock: clock, report: report)
        if isResuming { handed.removeAbandoned() }
        for name in Name.outputs + (asked == nil ? [] : [Name.customers]) { try handed.list(name) }
        let database = try AuditDatabase(path: handed.path(of: Name.database), isReadOnly: true)
        let written = try writeRecords(
            database.recordsOfFindings(atMost: mostRecords), of: database, maker, to: handed)
        let lists = maker.lists.files
        if !lists.isEmpty { try handed.makeFolder(Name.revocation) }
        for list in lists {
            try handed.write("\(Name.revocation)/\(list.path)") { try $0.write(list.bytes) }
        }
        let bundle = try Self.finish(handed, of: database, by: tool, counts, written, mostRecords)
        return (counts, bundle)
    }

    /// Writes the files about the whole bundle, after all others.
    /// - Parameters:
    ///   - written: The numbers of the records with evidence.
    ///   - forgotten: The number of forgotten records.
    static func finish(
        _ handed: BundleFolder, of database: AuditDatabase, by tool: AuditingTool, _ counts: AuditCounts,
        _ written: Set<Int>, _ mostRecords: Int, forgotten: Int = 0
    ) throws -> WrittenBundle {
        let (findings, missing) = try writeFindings(of: database, written, to: handed)
        try handed.write(
            Name.readme, readme(counts, written.count, missing, mostRecords, forgotten: forgotten))
        let manifest = BundleManifest(
            tool: tool, files: handed.files, evidence: (written.count, findings, missing))
        try handed.write(Name.manifest) { sink in try database.access { try manifest.write($0, to: sink) } }
        return WrittenBundle(
            digest: try handed.writeSums(), records: written.count, findings: findings, missing: missing)
    }

    /// Writes the evidence of the records.
    /// - Returns: The numbers of the records whose evidence was written.
    private func writeRecords(
        _ records: [StoredRecord], of database: AuditDatabase, _ maker: EvidenceMaker, to handed: BundleFolder
    ) throws -> Set<Int> {
        guard !records.isEmpty else { return [] }
        try handed.makeFolder(Name.records)
        var written: Set<Int> = []
        // The notices about the sources were already given.
        var audit = self
        audit.notify = { _ in }
        _ = try audit.prove(records, in: database) { record in
            guard let bundle = try record.bundle(by: maker) else { return }
            try handed.write(bundle, to: "\(Name.records)/\(record.number)/")
            written.insert(record.number)
        }
        return written
    }

    /// Writes a line for each finding, with the folders of the evidence of its records.
    private static func writeFindings(
        of database: AuditDatabase, _ written: Set<Int>, to handed: BundleFolder
    ) throws -> (findings: Int, missing: Int) {
        var (findings, missing) = (0, 0)
        try handed.write(Name.findings) { sink in
            try database.access { database in
                var json = JSONWriter()
                try FindingRecords.forEach(database) { finding in
                    let there = finding.first.filter { written.contains(Int($0)) }
                    findings += 1
                    missing += finding.count - there.count
                    json.object { json in
                        json.string("finding", finding.id)
                        json.string("kind", finding.kind)
                        json.string("severity", finding.severity)
                        json.string("summary", finding.summary)
                        json.number("records", finding.count)
                        json.array("evidence", there) { $0.string("\(Name.records)/\($1)") }
                        json.number("missing", finding.count - there.count)
                    }
                    json.endLine()
                    try sink.write(json)
                    json.removeAll()
                }
            }
        }
        return (findings, missing)
    }

    private static func readme(
        _ counts: AuditCounts, _ records: Int, _ missing: Int, _ most: Int, forgotten: Int
    ) -> String {
        let gone =
            forgotten == 0
            ? ""
            : "\n\(ReportText.count(forgotten, "record")) forgotten since: the line of each has only the hash of its leaf"
        return """
            An audit of App Store receipts by appreceipt \(ReceiptVerifier.packageVersion), with all that is needed to check it.

            \(counts.records) records: \(counts.genuine) genuine, \(counts.refused) refused, \(counts.unreadable) unreadable, \(counts.absent) absent, \(counts.foreignValues) foreign, \(counts.otherApps) of other apps\(gone)
            Merkle root of the audit: \(counts.root ?? "")

            The Merkle root (RFC 6962) covers every record, the SHA-256 of its bytes and its verdict. Compare it with the root that
            you received over another channel: on paper, signed, or time-stamped.

            1. Check that no file was changed:
                   sha256sum --check --quiet SHA256SUMS
            2. Check the evidence of a record without appreceipt: the signature with a shell and openssl, the values and the
               inclusion of the record under the Merkle root with Python:
                   sh \(Name.records)/NUMBER/check.sh
                   python3 -I \(Name.records)/NUMBER/check.py
               \(records) records have such a folder\(missing == 0 ? "" : "; \(missing) references of findings have none: at most \(FindingRecords.mostRecords) per finding and \(most) in all are written"). With the sources, write any other signed record:
                   appreceipt audit SOURCE… --prove number:NUMBER --database \(Name.database) --output FOLDER
            3. Check everything with appreceipt; pass your own trusted root with --root FILE:
                   appreceipt evidence --check .
            4. With the sources, and with the audit's --root, --catalog and --crl files if it had any, verify them again and
               compare every row and the Merkle root:
                   appreceipt audit SOURCE… --replay \(Name.database)

            \(Name.page)     the report for people: findings, receipts and settings
            \(Name.findings) one line per finding, with the folders of its records
            \(Name.database)    all data, for queries: sqlite3 \(Name.database) .schema
            \(Name.lines)    one line per record, in the order of the sources
            \(Name.tables)/           tables for spreadsheets
            \(Name.manifest)   SHA-256 of the inputs, the program and these files; versions, settings, the Merkle root

            Not proven: that no key was stolen, that no certificate was revoked (beyond the lists in \(Name.revocation)/, if there are any), that the account that presented a receipt is its
            customer, and what happened after the signature.

            """
    }
}
