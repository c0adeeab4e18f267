/// What an audit found, and what it did not look for: nothing found means little without the second.
public struct AuditOutcome: Hashable, Sendable {
    /// Incidents by severity; findings of one incident count once.
    public var alerts = 0
    public var warnings = 0
    public var notes = 0
    public var notLookedFor: [Omission] = []

    /// Something that was not checked.
    public struct Omission: Hashable, Sendable {
        public let title: String
        /// Behind "because".
        public let reason: String
    }
}
