package import AppReceipt
package import ReceiptEvidence
import ReceiptJSON

extension Audit {
    /// The contents of a self-contained bundle of an audit.
    package struct Handed: Sendable {
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
        static let manifest = "manifest.json"
        static let readme = "README.txt"
    }

    /// The maximum number of records whose evidence is written, because people read the bundle.
    static let mostEvidence = 200

    /// Reads all sources and writes a self-contained bundle for checking the result. It contains the
    /// database, report, lines, tables, findings with the evidence of their records, a manifest, and
    /// instructions.
    /// - Parameters:
    ///   - folder: A new or empty folder, or that of an interrupted run to resume it.
    ///   - tool: The program that performs the audit.
    ///   - maker: The maker of evidence, with the question of the audit.
    /// - Throws: ``AuditError``.
    package func writeEvidence(
        to folder: String, by tool: AuditingTool, _ maker: EvidenceMaker, isResuming: Bool = false,
        arguments: [String] = [], jobs: Int,
        recordsPerCommit: Int = 16384, mostRecords: Int = mostEvidence, clock: () -> Timestamp,
        report: @escaping (Progress) -> Void = { _ in }
    ) throws -> (counts: AuditCounts, handed: Handed) {
        guard !sources.contains("-") else {
            throw AuditError(
                "standard input is read once, and evidence is taken from the sources: give files")
        }
        let handed = try HandedFolder(
            folder, resuming: isResuming ? Name.database : nil, judge.examiner.verifier)
        try CSVExport.requireRoom(in: handed.path(of: Name.tables), isReplacing: isResuming)
        let asked = judge.question == nil ? nil : handed.path(of: Name.customers)
        let counts = try writeDatabase(
            to: handed.path(of: Name.database), lines: handed.path(of: Name.lines),
            page: handed.path(of: Name.page), tables: handed.path(of: Name.tables), customers: asked,
            isResuming: isResuming, arguments: arguments, jobs: jobs, recordsPerCommit: recordsPerCommit,
            clock: clock, report: report)
        let tables = CSVExport.tables.map { "\(Name.tables)/\($0.name)" }
        for name in [Name.database, Name.lines, Name.page] + tables + (asked == nil ? [] : [Name.customers]) {
            try handed.list(name)
        }
        let database = try AuditDatabase(path: handed.path(of: Name.database), isReadOnly: true)
        let written = try writeRecords(
            database.recordsOfFindings(atMost: mostRecords), of: database, maker, to: handed)
        let (findings, missing) = try writeFindings(of: database, written, to: handed)
        try handed.write(Name.readme, readme(counts, written.count, missing))
        let manifest = HandedManifest(
            tool: tool, files: handed.files, evidence: (written.count, findings, missing))
        try handed.write(Name.manifest) { sink in try database.access { try manifest.write($0, to: sink) } }
        let digest = try handed.writeSums()
        return (
            counts, Handed(digest: digest, records: written.count, findings: findings, missing: missing)
        )
    }

    /// Writes the evidence of the records.
    /// - Returns: The numbers of the records whose evidence was written.
    private func writeRecords(
        _ records: [StoredRecord], of database: AuditDatabase, _ maker: EvidenceMaker, to handed: HandedFolder
    ) throws -> Set<Int> {
        guard !records.isEmpty else { return [] }
        try handed.makeFolder(Name.records)
        var written: Set<Int> = []
        _ = try prove(records, in: database) { record in
            guard let bundle = try record.bundle(by: maker) else { return }
            try handed.write(bundle, to: "\(Name.records)/\(record.number)/")
            written.insert(record.number)
        }
        return written
    }

    /// Writes a line for each finding, with the folders of the evidence of its records.
    private func writeFindings(
        of database: AuditDatabase, _ written: Set<Int>, to handed: HandedFolder
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
                        json.key("finding")
                        json.string(finding.id)
                        json.key("kind")
                        json.string(finding.kind)
                        json.key("severity")
                        json.string(finding.severity)
                        json.key("summary")
                        json.string(finding.summary)
                        json.key("records")
                        json.number(finding.count)
                        json.key("evidence")
                        json.array(there) { $0.string("\(Name.records)/\($1)") }
                        json.key("missing")
                        json.number(finding.count - there.count)
                    }
                    json.endLine()
                    try sink.write(json)
                    json.removeAll()
                }
            }
        }
        return (findings, missing)
    }

    private func readme(_ counts: AuditCounts, _ records: Int, _ missing: Int) -> String {
        """
        An audit of App Store receipts, by appreceipt \(ReceiptVerifier.packageVersion), and all that is needed to check it.

        \(counts.records) records: \(counts.genuine) genuine, \(counts.refused) refused, \(counts.unreadable) unreadable, \(counts.absent) absent
        root of all records: \(counts.root ?? "")

        The root is one number that every record, its bytes' SHA-256 and its answer are in (RFC 6962). Hold it against the one
        that you were told by another way: on paper, signed, or time-stamped. If it is the same, this is the audit that was meant.

        1. Nothing was changed on the way:
               sha256sum --check --quiet SHA256SUMS
        2. The evidence of a record, without the program that made it: the signature with a shell and openssl, the values and
           that this record with this verdict is under the root with Python:
               sh \(Name.records)/NUMBER/check.sh
               python3 -I \(Name.records)/NUMBER/check.py
           \(records) records have such a folder\(missing == 0 ? "" : "; \(missing) times a finding names another one: \(FindingRecords.mostRecords) a finding and \(Self.mostEvidence) in all are written"). Where the sources are, any other that is signed:
               appreceipt audit SOURCE… --prove number:NUMBER --database \(Name.database) --output FOLDER
        3. All of it at once, with the program; where others than Apple's roots were trusted, with those, --root FILE:
               appreceipt evidence --check .
        4. Everything, where the sources are, with those roots too: every row is made anew, and the root is compared:
               appreceipt audit SOURCE… --replay \(Name.database)

        \(Name.page)     for people: what was found, in which receipts, with which settings
        \(Name.findings) what was found, a line each, with the folders of the records that it rests on
        \(Name.database)    everything, for questions: sqlite3 \(Name.database) .schema
        \(Name.lines)    the answer to each record, a line each, in the order of the sources
        \(Name.tables)/           tables for spreadsheets
        \(Name.manifest)   SHA-256 of the inputs, of the program and of these files; versions, settings, the root

        What none of this proves: that a key was not stolen, that a certificate was not revoked, that whoever presented a
        receipt is its customer, and what happened after it was signed.

        """
    }
}
