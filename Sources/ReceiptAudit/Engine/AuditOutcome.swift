/// The outcome of an audit: findings and skipped checks. The absence of findings can only be interpreted
/// together with the skipped checks.
public struct AuditOutcome: Hashable, Sendable {
    /// The number of incidents with severity `alert`. Several findings of one incident count once.
    public var alerts = 0
    public var warnings = 0
    public var notes = 0
    /// The number of skipped checks that compare subjects, if no genuine receipt has a subject.
    public var withoutSubject = 0
    public var notLookedFor: [Omission] = []

    /// A check that was skipped.
    public struct Omission: Hashable, Sendable {
        public let title: String
        /// The text that follows "because".
        public let reason: String
    }
}
