import AppReceipt
package import OfferEligibility
import RecordSources

extension Audit {
    /// Verifies the sources again and compares every row of a database with the result.
    /// - Parameters:
    ///   - change: The closure that receives each verdict that changes under other revocation lists, as one
    ///     line. If nil, the run must have had the same lists and policy. The caller decides, never the
    ///     database.
    ///   - differ: The closure that receives each difference as one line.
    /// - Returns: Whether all rows are equal, and the counts of the records.
    /// - Throws: ``AuditError``, also if the database was made with other settings.
    package func replay(
        _ path: String, jobs: Int, change: ((String) -> Void)? = nil, differ: @escaping (String) -> Void,
        report: @escaping (Progress) -> Void = { _ in }
    ) throws -> (holds: Bool, counts: AuditCounts) {
        let suspect = try AuditDatabase(path: path, isReadOnly: true)
        guard try suspect.holdsRun() else { throw AuditError("\(path): contains no audit run") }
        var faults = try suspect.schemaFaults()
        if faults.isEmpty { try suspect.requireNoForgotten() }
        if faults.isEmpty { faults = try suspect.integrityFaults() }
        if faults.isEmpty, let fault = try suspect.valueFault(in: "runs") { faults = [fault] }
        guard faults.isEmpty else {
            for fault in faults { differ(fault) }
            return (false, AuditCounts())
        }
        var audit = self
        audit.names = try suspect.sourceNames(sources.count)
        let plan = try audit.makePlan(isEvidence: true)
        let named = namedSettings(plan, hasLines: false)
        let others = change == nil ? [] : try suspect.differing(named, among: Self.listSettings)
        do throws(AuditError) {
            try suspect.require(named, ignoring: others.union(["sources", "ndjson"]))
        } catch {
            let isOfLists = try change == nil && !suspect.differing(named, among: Self.listSettings).isEmpty
            throw isOfLists
                ? AuditError(
                    "\(error.description); to compare the verdicts under other lists, use --new-lists")
                : error
        }
        let fresh = try AuditDatabase.temporary()
        let never = Timestamp(millisecondsSince1970: 0)
        try fresh.begin(self, named, arguments: [], at: never)
        let writer = try AuditWriter(fresh, tree, recordsPerCommit: 16384)
        let counts = try audit.fill(writer, plan, jobs: jobs, clock: { never }, report: report)
        // With the same lists, the comparison is complete.
        let verdicts = others.isEmpty ? nil : change.map { VerdictChanges(report: $0) }
        let replay = Replay(suspect, against: fresh, verdicts, differ: differ)
        if verdicts != nil {
            // The leaves of genuine records name the dates of the lists. They must at least lead to their root.
            let (root, records) = try suspect.requireTree(tree)
            guard try StoredLeaves(suspect, tree).root(of: 0..<records).text == root else {
                throw AuditError("\(path): receipts: the leaves do not lead to the Merkle root")
            }
        }
        try replay.compare()
        return (replay.differences == 0, counts)
    }

    /// The settings that ``replay(_:jobs:change:differ:report:)`` may compare under other values.
    private static let listSettings = ["crl", "distrust", "revocation"]

    /// Returns the settings of the run in a database, or nil if they are not reliable.
    /// ``replay(_:jobs:change:differ:report:)`` reports the reason.
    /// - Throws: ``AuditError`` if the file is not an audit's database.
    package static func recordedSettings(in path: String) throws -> RecordedSettings? {
        let database = try AuditDatabase(path: path, isReadOnly: true)
        guard try database.holdsRun(), try database.schemaFaults().isEmpty,
            try database.valueFault(in: "runs") == nil
        else { return nil }
        return try database.recordedSettings()
    }

    /// Returns the instant that the run of a database asks about, or nil if there is no run or no file. Opening
    /// the database repairs a run that was interrupted.
    /// - Throws: ``AuditError`` if the file is not an audit's database.
    package static func recordedAsOf(in path: String) throws -> EligibilityInstant? {
        guard try InputFile(path: path).exists else { return nil }
        let database = try AuditDatabase(path: path)
        guard try database.holdsRun() else { return nil }
        try database.requireSchema()
        return try database.asOf()
    }
}
