package import AppReceipt
import OfferEligibility
import ReceiptEvidence
import ReceiptExamination
import ReceiptJSON
import RecordSources
import SystemLibrary

extension Audit {
    /// Reads all sources into a database, and optionally writes a line for each record to a file.
    /// - Parameters:
    ///   - output: The path of the database. Nil means a private database that is deleted when this function
    ///     returns.
    ///   - lines: The path of the file of lines, or `-` for standard output.
    ///   - page: The path of the HTML report.
    ///   - tables: The folder for the tables as CSV.
    ///   - customers: The path of the file with one line per customer and product, or `-` for standard
    ///     output. It requires a question.
    ///   - shown: The dates of the receipts that the report and the tables show.
    ///   - isResuming: Whether to resume the run in the database. Without such a run, a new one begins.
    ///   - arguments: The command's arguments, which the database records.
    ///   - recordsPerCommit: The maximum number of records that a resumed run repeats.
    ///   - clock: The clock that is read when the run begins and ends.
    /// - Throws: ``AuditError``. The records written before the error can be resumed.
    package func writeDatabase(
        to output: String?, lines: String? = nil, page: String? = nil, tables: String? = nil,
        customers: String? = nil,
        shown: ShownDates = ShownDates(), isResuming: Bool = false,
        arguments: [String] = [], jobs: Int,
        recordsPerCommit: Int = 16384, clock: () -> Timestamp, report: @escaping (Progress) -> Void = { _ in }
    ) throws -> AuditCounts {
        // If the output is the null device, a private database is sufficient.
        let output = output.flatMap { OutputPath.isNull($0) ? nil : $0 }
        // Errors that are detectable now must be reported before hours of work, and must not leave an empty
        // database.
        let exists = try output.map { try InputFile(path: $0).exists } == true
        let isReplaced = exists && isReplacing && !isResuming
        let isThere = exists && !isReplaced
        let early = isThere ? nil : try makePlan(isEvidence: true)
        if let output, isReplaced {
            guard try !InputFile(path: output).isFolder else {
                throw AuditError("\(output): \(systemMessage(EISDIR))")
            }
            DatabaseFile.remove(output)
        }
        if !isResuming || !isThere, !isReplacing {
            if let lines, !OutputPath.isWrittenInPlace(lines), try InputFile(path: lines).exists {
                throw AuditError.exists(lines)
            }
        }
        let database =
            try output.map { path throws(AuditError) in try AuditDatabase(path: path) } ?? .temporary()
        var isKept = isThere
        // Unlocks the file even if a thread that has not ended yet keeps the connection open.
        defer {
            database.unlock()
            if let output, !isKept { DatabaseFile.remove(output) }
        }
        try database.lock()
        let isBegun = try database.holdsRun()
        if isBegun {
            guard isResuming else {
                throw AuditError(
                    "refusing to overwrite \(database.path); use --resume to continue the run, --replay to check it, "
                        + "or choose another path")
            }
            try database.requireSchema()
            // This check reads no sources, so different sources are reported even if they do not exist.
            try database.require(namedSettings(nil, hasLines: lines != nil), ignoring: [Self.plan])
        }
        let plan = if let early { early } else { try makePlan(isEvidence: true) }
        let named = namedSettings(plan, hasLines: lines != nil)
        if isBegun {
            try database.require(named)
        } else {
            try database.begin(self, named, arguments: arguments, at: clock())
        }
        let writer = try AuditWriter(database, tree, recordsPerCommit: recordsPerCommit)
        let verifier = evaluator.examiner.verifier
        writer.lines = try lines.map { path throws(AuditError) in
            try LineSink(
                path: path, resuming: isBegun ? writer.progress : nil, isReplacing: isReplacing
            ) { verifier.sha256(of: $0) }
        }
        // A run that failed at its start must not leave files, in particular not lines without a database.
        // Records that were written later can be resumed.
        defer {
            isKept = isKept || writer.progress.counts.records > 0 || writer.progress.isFinished
            if !isKept, let lines, !OutputPath.isWrittenInPlace(lines) { _ = unsafe unlink(lines) }
        }
        var counts = try fill(writer, plan, jobs: jobs, clock: clock, report: report)
        // Rows that this process did not write are untrusted.
        if isBegun { try database.requireValues(in: AuditDatabase.outcomeTables) }
        counts.outcome = try database.outcome()
        guard page != nil || tables != nil || customers != nil else { return counts }
        if isBegun { try database.requireValues() }
        if let customers, let question = evaluator.question {
            try UnfinishedFile.write(to: customers) { sink in
                try database.access { try CustomerLines.write(question, of: $0, to: sink) }
            }
        }
        try database.show(shown)
        if let page { try Report(of: database, shown: shown).write(to: page) }
        if let tables { try CSVExport(of: database).write(to: tables) }
        return counts
    }

    /// Reads all sources into a database whose run has begun, to the end of the run. If the run was already
    /// finished, compares its records with the current sources.
    /// - Throws: ``AuditError``.
    func fill(
        _ writer: AuditWriter, _ plan: SourcePlan, jobs: Int, clock: () -> Timestamp,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let catalog = evaluator.question?.rules.catalog
        writer.question = evaluator.question
        writer.revocation = try RevocationListUse(settings.revocation.lists, verifier, in: writer.database)
        let isFinished = writer.progress.isFinished
        let counts: AuditCounts
        do {
            counts = try run(
                plan, jobs: jobs,
                known: writer.progress.counts.sourceRecords + writer.progress.counts.notSelected,
                wantsLines: writer.lines != nil && !isFinished,
                work: { answer, source, leaf in ReceiptRows(answer, from: source, catalog, leaf) },
                recognize: { rows in try writer.recognize(rows) },
                complete: { rows, leaf in rows.complete(leaf) },
                write: { lines, rows, leaves, counts in
                    if isFinished, let name = rows.first?.name {
                        throw AuditError(
                            "\(name): not read by the finished run; start a new audit")
                    }
                    if let lines { try writer.lines?.write(lines.json) }
                    try writer.append(rows, leaves, counts)
                },
                report: report)
        } catch let error as SourceError {
            // The records before the damaged place were written and are kept.
            try writer.flush()
            throw AuditError(error.description)
        }
        try writer.flush()
        try writer.requireRecognized()
        try writer.lines?.requireEnd()
        let root = try tree.root(of: writer.records)
        guard !isFinished else {
            let before = writer.progress.counts.leftOut
            guard counts.leftOut == before else {
                let now = counts.leftOut.summary ?? "nothing"
                throw AuditError(
                    "the finished run skipped \(before.summary ?? "nothing"), this one \(now); start a new audit"
                )
            }
            guard writer.progress.counts.root == root else {
                throw AuditError("the Merkle root of the finished run does not match its records")
            }
            return total(writer, counts)
        }
        report(Progress(counts: writer.progress.counts, bytesRead: 0, isFinishing: true))
        try writer.finish(counts, root: root, at: clock)
        return total(writer, counts)
    }

    /// Returns the counts of the database, with the fields and the empty sources that this reading found.
    private func total(_ writer: AuditWriter, _ counts: AuditCounts) -> AuditCounts {
        var total = writer.progress.counts
        (total.found, total.missingFields) = (counts.found, counts.missingFields)
        (total.emptySources, total.unreadFields) = (counts.emptySources, counts.unreadFields)
        total.subjectFields = counts.subjectFields
        total.unusedLists = writer.revocation?.unused ?? []
        total.hasUnusableList = writer.revocation?.isUnusable ?? false
        return total
    }
}
