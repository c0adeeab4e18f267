package import AppReceipt
package import OfferEligibility
import ReceiptEvidence
package import ReceiptExamination
import RecordSources

/// An audit, which reads records from many sources and writes answers in the order of the input.
///
/// The same sources and settings give the same bytes, for any number of threads.
package struct Audit: Sendable {
    package let sources: [String]
    package let settings: AuditSettings
    let evaluator: RecordEvaluator
    /// A copy that only identifies receipts and their subjects, without verification.
    let recognizer: RecordEvaluator
    let limits: ReceiptLimits
    /// The revocation lists of the run.
    package let revocation: RevocationInputs
    /// Whether the audit computes the Merkle root. Benchmarks disable it to measure its cost.
    package var isHashing = true
    /// Whether existing files at the paths of the outputs are replaced.
    package var isReplacing = false
    /// The names of the sources in the answers, or nil for the paths as given. A replay uses the names of the
    /// original run.
    var names: [String]?
    /// A closure that receives the facts found out about the sources, one line each, before verification
    /// begins.
    package var notify: @Sendable (String) -> Void = { _ in }

    /// The progress of a running audit.
    package struct Progress: Sendable {
        package let counts: AuditCounts
        /// The number of bytes read from files and streams.
        package let bytesRead: Int
        /// Whether the audit rereads the records of an interrupted run.
        package var isReadingAgain = false
        /// Whether all records were read, and only indexes and findings remain.
        package var isFinishing = false
    }

    /// Creates an audit.
    /// - Parameters:
    ///   - sources: The paths of the sources; `-` is standard input.
    ///   - question: The eligibility question about each genuine receipt, or nil if there is none.
    ///   - revocation: The lists of the examiner's verifier, which the settings describe.
    package init(
        sources: [String], settings: AuditSettings, examiner: Examiner, question: EligibilityQuestion? = nil,
        revocation: RevocationInputs = .none
    ) {
        self.sources = sources
        self.revocation = revocation
        self.settings = settings
        evaluator = RecordEvaluator(examiner: examiner, question: question)
        recognizer = RecordEvaluator(examiner: examiner.withoutVerification, question: nil)
        limits = examiner.verifier.limits
    }

    /// Reads all sources and writes a line for each record.
    /// - Parameters:
    ///   - path: A new file, or `-` for standard output. Lines are not buffered beyond a batch.
    ///   - jobs: The number of threads.
    ///   - report: The closure that is called from time to time with the progress.
    /// - Throws: ``AuditError``. The output contains the answers written before the error.
    package func writeLines(
        to path: String, jobs: Int, report: @escaping (Progress) -> Void = { _ in }
    ) throws -> AuditCounts {
        // A failure here must not leave an empty output file, which would block the next attempt.
        let plan = try makePlan(isEvidence: false)
        let sink = try LineSink(path: path, isReplacing: isReplacing)
        var records = MerkleFrontier()
        do {
            var counts = try run(
                plan, jobs: jobs, work: { _, _, _ in },
                write: { lines, _, leaves, _ in
                    if let lines { try sink.write(lines.json) }
                    try tree.append(leaves, to: &records)
                }, report: report)
            if isHashing { counts.root = try tree.root(of: records) }
            let faults = settings.revocation.lists.map { $0.fault(of: verifier)?.description }
            counts.unusedLists = zip(settings.revocation.lists, faults).compactMap { list, fault in
                fault.map { "\(list.name): not used: \($0)" }
            }
            counts.hasUnusableList = RevocationListFault.areUnusable(faults)
            return counts
        } catch let error as SourceError {
            throw AuditError(error.description)
        }
    }

    /// Determines how to read the sources.
    /// - Parameter isEvidence: Whether to compute the digests of the files and streams.
    func makePlan(isEvidence: Bool) throws(AuditError) -> SourcePlan {
        let verifier = evaluator.examiner.verifier
        let plan = try SourcePlan(
            sources, names: names, settings.reading, limits: limits,
            makeDigest: isEvidence ? { verifier.streamDigest() } : nil)
        plan.notes.forEach(notify)
        return plan
    }

    /// Returns everything that a run's answers depend on, by name, and whether the run writes lines. A
    /// resumed run must write lines if and only if the original one did.
    /// - Parameter plan: The plan of the sources, or nil if it does not exist yet.
    func namedSettings(_ plan: SourcePlan?, hasLines: Bool) -> [String: String] {
        var own = ["sources": list(sources), "ndjson": hasLines ? "yes" : "no"]
        own[Self.plan] = plan?.text
        return settings.named.merging(own) { first, _ in first }
    }

    static let plan = "sources-read-as"

    package var verifier: ReceiptVerifier { evaluator.examiner.verifier }

    /// The tree functions that hash the records.
    var tree: MerkleTree { MerkleTree(verifier) }
}
