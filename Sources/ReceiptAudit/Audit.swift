import AppReceipt
import ReceiptEvidence
public import ReceiptJSON

/// An audit: records of many sources in, answers out, in the order of the input.
///
/// The same sources and settings give the same bytes, whatever the number of threads.
public struct Audit: Sendable {
    public let sources: [String]
    public let settings: AuditSettings
    let judge: Judge
    /// Says who presented which receipt, and no more.
    let recogniser: Judge
    let limits: ReceiptLimits
    /// False where no root is wanted, to measure what it costs.
    package var isHashing = true
    /// What the sources are called in the answers, where that is not how they were given: as a run called them that is
    /// verified again.
    var names: [String]?
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
        var records = MerkleFrontier()
        do {
            var counts = try run(
                plan, jobs: jobs, work: { _, _, _ in },
                write: { lines, _, leaves, _ in
                    if let lines { try sink.write(lines.json) }
                    try tree.append(leaves, to: &records)
                }, report: report)
            if isHashing { counts.root = try tree.root(of: records) }
            return counts
        } catch let error as SourceError {
            throw AuditError(error.description)
        }
    }

    /// - Parameter isEvidence: take the digests of the files and streams.
    func makePlan(isEvidence: Bool) throws(AuditError) -> SourcePlan {
        let verifier = judge.examiner.verifier
        let plan = try SourcePlan(
            sources, names: names, settings, limits: limits,
            makeDigest: isEvidence ? { verifier.streamDigest() } : nil)
        plan.notes.forEach(tell)
        return plan
    }

    /// All that a run's answers depend on, by name, and whether it writes lines: half of them would be of no use.
    /// - Parameter plan: nil where it was not made yet.
    func namedSettings(_ plan: SourcePlan?, hasLines: Bool) -> [String: String] {
        var own = ["sources": list(sources), "ndjson": hasLines ? "yes" : "no"]
        own[Self.plan] = plan?.text
        return settings.named.merging(own) { first, _ in first }
    }

    static let plan = "sources-read-as"

    /// Hashes the records.
    var tree: MerkleTree { MerkleTree(judge.examiner.verifier) }
}
