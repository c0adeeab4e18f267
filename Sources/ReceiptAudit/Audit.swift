import AppReceipt

/// An audit: records of many sources in, answers out, in the order of the input.
///
/// The same sources and settings give the same bytes, whatever the number of threads.
public struct Audit: Sendable {
    public let sources: [String]
    public let settings: AuditSettings
    private let judge: Judge
    private let limits: ReceiptLimits

    /// What is told while an audit runs.
    public struct Progress: Sendable {
        public let counts: AuditCounts
        /// Bytes that were read of files and streams.
        public let bytesRead: Int
    }

    /// - Parameters:
    ///   - sources: paths; `-` is standard input.
    ///   - question: what the rules are asked about each genuine receipt; nil asks nothing.
    public init(
        sources: [String], settings: AuditSettings, examiner: Examiner, question: EligibilityQuestion? = nil
    ) {
        self.sources = sources
        self.settings = settings
        judge = Judge(examiner: examiner, question: question, names: FieldNames(settings.columns))
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
        let sink = try LineSink(path: path)
        return try run(jobs: jobs, work: { _, _ in }, write: { lines, _ in try sink.write(lines) }, report: report)
    }

    /// Reads all sources; each batch goes through `work` on some thread and through `write` in the input's order.
    func run<Piece: Sendable>(
        jobs: Int, wantsLines: Bool = true,
        work: @escaping @Sendable (Answer, Batch) -> Piece,
        write: @escaping ([UInt8], [Piece]) throws -> Void,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let reader = Sources(
            sources, format: settings.format, names: settings.columns, textBytes: limits.textBytes)
        let judge = judge
        var counts = AuditCounts()
        let pipeline = Pipeline<Batch, Judged<Piece>>(
            jobs: jobs,
            read: { try reader.next() },
            work: { batch in
                var judged = Judged<Piece>(position: batch.position)
                var writer = JSONWriter()
                for (index, record) in batch.records.enumerated() {
                    let answer = judge.answer(record, batch.firstPlace + index, of: batch)
                    judged.counts.add(answer, from: batch.source)
                    judged.pieces.append(work(answer, batch))
                    guard wantsLines else { continue }
                    writer.verification(answer.examination, of: answer.origin, verdicts: answer.verdicts)
                    writer.endLine()
                }
                judged.lines = writer.bytes
                return judged
            },
            write: { judged in
                try write(judged.lines, judged.pieces)
                counts.add(judged.counts)
                report(Progress(counts: counts, bytesRead: judged.position))
            })
        try pipeline.run()
        return counts
    }
}

/// A batch when it was judged.
private struct Judged<Piece: Sendable>: Sendable {
    let position: Int
    var lines: [UInt8] = []
    var pieces: [Piece] = []
    var counts = AuditCounts()
}
