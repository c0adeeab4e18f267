public import AppReceipt
import OfferEligibility
import ReceiptEvidence
import ReceiptJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Audit {
    /// Reads all sources into a database, and a line for each record into a file where one is wanted.
    /// - Parameters:
    ///   - output: the database; nil is one that nobody else sees and that is gone when this returns.
    ///   - lines: the file, or `-` for standard output.
    ///   - page: the account for a person, as HTML.
    ///   - tables: a folder for the tables as CSV.
    ///   - customers: a file for the answer for each customer and product, a line each, or `-` for standard output; it
    ///     takes a question.
    ///   - shown: which receipts the page and the tables show.
    ///   - isResuming: take up the run that the database holds; without one, begin.
    ///   - arguments: of the command, for the record.
    ///   - recordsPerCommit: what is done again, at most, after a kill.
    ///   - clock: asked when the run begins and when it ends.
    /// - Throws: ``AuditError``; what was written before it can be resumed.
    public func writeDatabase(
        to output: String?, lines: String? = nil, page: String? = nil, tables: String? = nil,
        customers: String? = nil,
        shown: ShownDates = ShownDates(), isResuming: Bool = false,
        arguments: [String] = [], jobs: Int,
        recordsPerCommit: Int = 16384, clock: () -> Timestamp, report: @escaping (Progress) -> Void = { _ in }
    ) throws -> AuditCounts {
        // What can be known now must not be told after hours, nor leave a database that holds nothing.
        let isThere = try output.map { try InputFile(path: $0).exists } == true
        let early = isThere ? nil : try makePlan(isEvidence: true)
        if !isResuming || !isThere {
            if let lines, lines != "-", try InputFile(path: lines).exists {
                throw AuditError.exists(lines)
            }
        }
        let database =
            try output.map { path throws(AuditError) in try AuditDatabase(path: path) } ?? .temporary()
        var isKept = isThere
        // A thread that has not wound up yet may keep the connection open; the file is free all the same.
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
            try database.requireForm()
            // Sources that are others need not be there.
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
        let verifier = judge.examiner.verifier
        writer.lines = try lines.map { path throws(AuditError) in
            try LineSink(path: path, resuming: isBegun ? writer.progress : nil) { verifier.sha256(of: $0) }
        }
        // What failed at its start stands in nobody's way, lines without their database least of all; what was written
        // later is taken up.
        defer {
            isKept = isKept || writer.progress.counts.records > 0 || writer.progress.isFinished
            if !isKept, let lines, lines != "-" { _ = unsafe unlink(lines) }
        }
        var counts = try fill(writer, plan, jobs: jobs, clock: clock, report: report)
        // What this process did not write itself may be anything.
        if isBegun { try database.requireValues(in: AuditDatabase.outcomeTables) }
        counts.outcome = try database.outcome()
        guard page != nil || tables != nil || customers != nil else { return counts }
        if isBegun { try database.requireValues() }
        if let customers, let question = judge.question { try write(question, of: database, to: customers) }
        try database.show(shown)
        if let page { try Report(of: database, shown: shown).write(to: page) }
        if let tables { try CSVExport(of: database).write(to: tables) }
        return counts
    }

    /// Writes the answer for each customer and product, of the rows of a finished run.
    private func write(
        _ question: EligibilityQuestion, of database: AuditDatabase, to path: String
    ) throws {
        func write(to sink: LineSink) throws {
            try database.access { try CustomerLines.write(question, of: $0, to: sink) }
        }
        try path == "-" ? write(to: LineSink(path: path)) : UnfinishedFile.write(to: path, write)
    }

    /// Reads all sources into a database whose run has begun, to its end. The records of a run that had come to its end
    /// are held against what the sources say now.
    func fill(
        _ writer: AuditWriter, _ plan: SourcePlan, jobs: Int, clock: () -> Timestamp,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let catalog = judge.question?.rules.catalog
        writer.question = judge.question
        let isFinished = writer.progress.isFinished
        let counts: AuditCounts
        do {
            counts = try run(
                plan, jobs: jobs, known: writer.progress.counts.sourceRecords,
                wantsLines: writer.lines != nil && !isFinished,
                work: { answer, source, leaf in ReceiptRows(answer, from: source, catalog, leaf) },
                recognise: { rows in try writer.recognise(rows) },
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
            // All that stood before the damage was written and stays.
            try writer.flush()
            throw AuditError(error.description)
        }
        try writer.flush()
        try writer.requireRecognised()
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

    /// Everything that the database counts, and what this run's reading found of fields and empty sources.
    private func total(_ writer: AuditWriter, _ counts: AuditCounts) -> AuditCounts {
        var total = writer.progress.counts
        (total.found, total.missingFields) = (counts.found, counts.missingFields)
        total.emptySources = counts.emptySources
        return total
    }
}
