public import AppReceipt
public import OfferEligibility
public import ReceiptJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An audit: records of many sources in, answers out, in the order of the input.
///
/// The same sources and settings give the same bytes, whatever the number of threads.
public struct Audit: Sendable {
    public let sources: [String]
    public let settings: AuditSettings
    private let judge: Judge
    /// Says who presented which receipt, and no more.
    private let recogniser: Judge
    private let limits: ReceiptLimits
    /// Told what was found out of the sources, in a line each, before anything is judged.
    public var tell: @Sendable (String) -> Void = { _ in }

    /// What is told while an audit runs.
    public struct Progress: Sendable {
        public let counts: AuditCounts
        /// Bytes that were read of files and streams.
        public let bytesRead: Int
        /// What a killed run had done is read once more.
        public var isReadingAgain = false
        /// Everything was read; what is left are indexes and findings.
        public var isFinishing = false
    }

    /// - Parameters:
    ///   - sources: paths; `-` is standard input.
    ///   - question: what the rules are asked about each genuine receipt; nil asks nothing.
    public init(
        sources: [String], settings: AuditSettings, examiner: Examiner, question: EligibilityQuestion? = nil
    ) {
        self.sources = sources
        self.settings = settings
        judge = Judge(examiner: examiner, question: question)
        recogniser = Judge(examiner: examiner.withoutVerification, question: nil)
        limits = examiner.verifier.limits
    }

    /// Reads all sources and writes a line for each record.
    /// - Parameters:
    ///   - path: a new file, or `-` for standard output; nothing is held back.
    ///   - jobs: threads.
    ///   - report: called now and then with what was done so far.
    /// - Throws: ``AuditError``; what was answered before it stands in the output.
    public func writeLines(
        to path: String, jobs: Int, report: @escaping (Progress) -> Void = { _ in }
    ) throws -> AuditCounts {
        // An output that was made for nothing stands in the way of the next try.
        let plan = try makePlan(isEvidence: false)
        let sink = try LineSink(path: path)
        do {
            return try run(
                plan, jobs: jobs, work: { _, _ in },
                write: { lines, _ in if let lines { try sink.write(lines.json) } }, report: report)
        } catch let error as SourceError {
            throw AuditError(error.description)
        }
    }

    /// - Parameter isEvidence: take the digests of the files and streams.
    private func makePlan(isEvidence: Bool) throws(AuditError) -> SourcePlan {
        let verifier = judge.examiner.verifier
        let plan = try SourcePlan(
            sources, settings, limits: limits, makeDigest: isEvidence ? { verifier.streamDigest() } : nil)
        plan.notes.forEach(tell)
        return plan
    }

    /// All that a run's answers depend on, by name, and whether it writes lines: half of them would be of no use.
    /// - Parameter plan: nil where it was not made yet.
    private func namedSettings(_ plan: SourcePlan?, hasLines: Bool) -> [String: String] {
        var own = ["sources": list(sources), "ndjson": hasLines ? "yes" : "no"]
        own[Self.plan] = plan?.text
        return settings.named.merging(own) { first, _ in first }
    }

    private static let plan = "sources-read-as"

    /// Reads all sources into a database, and a line for each record into a file where one is wanted.
    /// - Parameters:
    ///   - output: the database; nil is one that nobody else sees and that is gone when this returns.
    ///   - lines: the file, or `-` for standard output.
    ///   - page: the account for a person, as HTML.
    ///   - tables: a folder for the tables as CSV.
    ///   - shown: which receipts the page and the tables show.
    ///   - isResuming: take up the run that the database holds; without one, begin.
    ///   - arguments: of the command, for the record.
    ///   - recordsPerCommit: what is done again, at most, after a kill.
    ///   - clock: asked when the run begins and when it ends.
    /// - Throws: ``AuditError``; what was written before it can be resumed.
    public func writeDatabase(
        to output: String?, lines: String? = nil, page: String? = nil, tables: String? = nil,
        shown: ShownDates = ShownDates(), isResuming: Bool = false,
        arguments: [String] = [], jobs: Int,
        recordsPerCommit: Int = 16384, clock: () -> Timestamp, report: @escaping (Progress) -> Void = { _ in }
    ) throws -> AuditCounts {
        // What can be known now must not be told after hours, nor leave a database that holds nothing.
        let isThere = try output.map { try InputFile(path: $0).exists } == true
        let early = isThere ? nil : try makePlan(isEvidence: true)
        if !isResuming || !isThere {
            if let lines, lines != "-", try InputFile(path: lines).exists {
                throw AuditError("\(lines): it exists already")
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
                    "\(database.path): it exists already; --resume takes it up, --replay holds it against its "
                        + "sources, and a new run needs another name or that file out of the way")
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
        let writer = try AuditWriter(database, recordsPerCommit: recordsPerCommit)
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
        guard page != nil || tables != nil else { return counts }
        if isBegun { try database.requireValues() }
        try database.show(shown)
        if let page { try Report(of: database, shown: shown).write(to: page) }
        if let tables { try CSVExport(of: database).write(to: tables) }
        return counts
    }

    /// Reads all sources into a database whose run has begun, to its end. The records of a run that had come to its end
    /// are held against what the sources say now.
    private func fill(
        _ writer: AuditWriter, _ plan: SourcePlan, jobs: Int, clock: () -> Timestamp,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let catalog = judge.question?.rules.catalog
        writer.question = judge.question
        let isFinished = writer.progress.isFinished
        let counts: AuditCounts
        do {
            counts = try run(
                plan, jobs: jobs, known: writer.progress.counts.records,
                wantsLines: writer.lines != nil && !isFinished,
                work: { answer, batch in ReceiptRows(answer, from: batch.source, catalog) },
                recognise: { rows in try writer.recognise(rows) },
                write: { lines, rows in
                    if isFinished, let name = rows.first?.name {
                        throw AuditError(
                            "\(name): the run that is finished did not read it; audit the sources anew")
                    }
                    if let lines { try writer.lines?.write(lines.json) }
                    try writer.append(rows)
                },
                report: report)
        } catch let error as SourceError {
            // All that stood before the damage was written and stays.
            try writer.flush()
            throw AuditError(error.description)
        }
        try writer.flush()
        try writer.lines?.requireEnd()
        guard !isFinished else {
            let before = writer.progress.counts.leftOut
            guard counts.leftOut == before else {
                let now = counts.leftOut.summary ?? "nothing"
                throw AuditError(
                    "the run that is finished left out \(before.summary ?? "nothing"), and now it is \(now); audit the sources anew"
                )
            }
            return total(writer, counts)
        }
        report(Progress(counts: writer.progress.counts, bytesRead: 0, isFinishing: true))
        try writer.finish(counts, at: clock)
        return total(writer, counts)
    }

    /// Everything that the database counts, and the fields that this run's reading found.
    private func total(_ writer: AuditWriter, _ counts: AuditCounts) -> AuditCounts {
        var total = writer.progress.counts
        (total.found, total.missingFields) = (counts.found, counts.missingFields)
        return total
    }

    /// Reads all sources; each batch goes through `work` on some thread and through `write` in the input's order.
    /// - Parameters:
    ///   - known: records that were judged before; they are decoded and handed to `recognise` instead of `write`.
    private func run<Piece: Sendable>(
        _ plan: SourcePlan, jobs: Int, known: Int = 0, wantsLines: Bool = true,
        work: @escaping @Sendable (Answer, Batch) -> Piece,
        recognise: @escaping ([Piece]) throws -> Void = { _ in },
        write: @escaping (LineBuffer?, [Piece]) throws -> Void,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let ahead = ReadAhead(jobs: jobs)
        let reader = Sources(plan, filter: settings.filter, textBytes: limits.textBytes, ahead: ahead)
        let (judge, recogniser) = (judge, recogniser)
        let isAsked = judge.question != nil
        var counts = AuditCounts()
        var left = known
        let buffers = LineBuffers()
        let pipeline = Pipeline<(batch: Batch, known: Int), Judged<Piece>>(
            jobs: jobs,
            read: {
                do {
                    if let batch = try reader.next() {
                        ahead.wait(for: batch.weight)
                        ahead.hold(batch.weight)
                        let part = min(left, batch.records.count)
                        left -= part
                        return (batch, part)
                    }
                } catch {
                    throw SourceError(description: "\(error)")
                }
                guard left == 0 else {
                    let message = "the sources end \(left) records before the place to which the run had come"
                    throw SourceError(description: message)
                }
                return nil
            },
            work: { batch, known in
                var judged = Judged<Piece>(position: batch.position, weight: batch.weight)
                judged.counts.leftOut = batch.leftOut
                judged.counts.inputs = batch.input.map { [$0] } ?? []
                let lines = wantsLines ? buffers.borrow() : nil
                for (index, (record, place)) in zip(batch.records, batch.places).enumerated() {
                    let isKnown = index < known
                    let answer = (isKnown ? recogniser : judge).answer(record, place, of: batch)
                    judged.failure = answer.passingFailure(in: batch.source)
                    guard judged.failure == nil else { break }
                    guard !isKnown else {
                        judged.counts.found.formUnion(answer.found)
                        judged.known.append(work(answer, batch))
                        continue
                    }
                    judged.counts.add(answer, from: batch.source)
                    judged.pieces.append(work(answer, batch))
                    if let examination = answer.examination {
                        lines?.json.verification(
                            examination, of: answer.origin, verdicts: answer.verdicts, isAsked: isAsked)
                    } else {
                        lines?.json.absence(of: answer.origin, isAsked: isAsked)
                    }
                    lines?.json.endLine()
                }
                judged.lines = lines
                return judged
            },
            write: { judged in
                var isWritten = false
                // Where writing fails, nothing is written any more that a reader could wait for.
                defer { if isWritten { ahead.release(judged.weight) } else { ahead.end() } }
                if !judged.known.isEmpty { try recognise(judged.known) }
                if !judged.pieces.isEmpty { try write(judged.lines, judged.pieces) }
                if let lines = judged.lines { buffers.giveBack(lines) }
                if let failure = judged.failure { throw SourceError(description: failure) }
                isWritten = true
                counts.add(judged.counts)
                let isReadingAgain = judged.pieces.isEmpty && !judged.known.isEmpty
                report(
                    Progress(counts: counts, bytesRead: judged.position, isReadingAgain: isReadingAgain))
            })
        try pipeline.run()
        counts.missingFields = missingFields(counts)
        return counts
    }

    /// What was named and stands in no record.
    private func missingFields(_ counts: AuditCounts) -> [String] {
        let named: [(String?, NamedFields)] = [
            (settings.columns.id, .id), (settings.columns.receipt, .receipt),
            (settings.columns.subject, .subject),
        ]
        return counts.records == 0
            ? [] : named.compactMap { name, field in counts.found.contains(field) ? nil : name }
    }
}

/// A source that cannot be read on; what stood before it was.
private struct SourceError: Error, CustomStringConvertible {
    let description: String
}

/// A batch when it was judged.
private struct Judged<Piece: Sendable>: Sendable {
    let position: Int
    let weight: Int
    /// Nil where no lines are wanted.
    var lines: LineBuffer?
    var known: [Piece] = []
    var pieces: [Piece] = []
    var counts = AuditCounts()
    /// What ends the run behind the pieces: the machine was short of something.
    var failure: String?
}

extension Audit {
    /// Verifies the sources again and holds every row of a database against what comes out now.
    /// - Parameter differ: told of each difference, in a line.
    /// - Returns: whether every row holds, and what was read.
    /// - Throws: ``AuditError``, also where the database was made with other settings.
    public func replay(
        _ path: String, jobs: Int, differ: @escaping (String) -> Void,
        report: @escaping (Progress) -> Void = { _ in }
    ) throws -> (holds: Bool, counts: AuditCounts) {
        let suspect = try AuditDatabase(path: path, isReadOnly: true)
        guard try suspect.holdsRun() else { throw AuditError("\(path): holds no run") }
        var faults = try suspect.schemaFaults()
        if faults.isEmpty { faults = try suspect.integrityFaults() }
        if faults.isEmpty, let fault = try suspect.valueFault(in: "runs") { faults = [fault] }
        guard faults.isEmpty else {
            for fault in faults { differ(fault) }
            return (false, AuditCounts())
        }
        let plan = try makePlan(isEvidence: true)
        let named = namedSettings(plan, hasLines: false)
        try suspect.require(named, ignoring: ["sources", "ndjson"])
        let fresh = try AuditDatabase.temporary()
        let never = Timestamp(millisecondsSince1970: 0)
        try fresh.begin(self, named, arguments: [], at: never)
        let writer = try AuditWriter(fresh, recordsPerCommit: 16384)
        let counts = try fill(writer, plan, jobs: jobs, clock: { never }, report: report)
        let replay = Replay(suspect, against: fresh, differ: differ)
        try replay.compare()
        return (replay.differences == 0, counts)
    }

    /// The settings of the run that a database holds; nil where there is nothing to be relied on:
    /// ``replay(_:jobs:differ:report:)`` says what.
    /// - Throws: ``AuditError`` for a file that is no audit's database.
    public static func recordedSettings(in path: String) throws -> RecordedSettings? {
        let database = try AuditDatabase(path: path, isReadOnly: true)
        guard try database.holdsRun(), try database.schemaFaults().isEmpty,
            try database.valueFault(in: "runs") == nil, let asOf = try database.asOf()
        else { return nil }
        return try database.recordedSettings(asOf)
    }

    /// The instant that the run of a database asks about; nil where there is no run, or no file, or, where it is only
    /// read, nothing to be relied on: ``replay(_:jobs:differ:report:)`` says what.
    /// - Throws: ``AuditError`` for a file that is no audit's database.
    /// - Parameter isReadOnly: false where the run may have been killed, which opening the database mends.
    public static func recordedAsOf(in path: String, isReadOnly: Bool) throws -> EligibilityInstant? {
        guard try InputFile(path: path).exists else { return nil }
        let database = try AuditDatabase(path: path, isReadOnly: isReadOnly)
        guard try database.holdsRun() else { return nil }
        guard isReadOnly else {
            try database.requireForm()
            return try database.asOf()
        }
        let isReliable = try database.schemaFaults().isEmpty && database.valueFault(in: "runs") == nil
        return isReliable ? try database.asOf() : nil
    }
}
