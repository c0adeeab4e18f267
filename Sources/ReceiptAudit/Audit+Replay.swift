import AppReceipt
public import OfferEligibility
import ReceiptJSON

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
        var audit = self
        audit.names = try suspect.sourceNames(sources.count)
        let plan = try audit.makePlan(isEvidence: true)
        let named = namedSettings(plan, hasLines: false)
        try suspect.require(named, ignoring: ["sources", "ndjson"])
        let fresh = try AuditDatabase.temporary()
        let never = Timestamp(millisecondsSince1970: 0)
        try fresh.begin(self, named, arguments: [], at: never)
        let writer = try AuditWriter(fresh, tree, recordsPerCommit: 16384)
        let counts = try audit.fill(writer, plan, jobs: jobs, clock: { never }, report: report)
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
