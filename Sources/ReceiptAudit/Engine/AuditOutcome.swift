/// The outcome of an audit: findings and skipped checks. The absence of findings can only be interpreted
/// together with the skipped checks.
package struct AuditOutcome: Hashable, Sendable {
    /// The number of incidents with severity `alert`. Several findings of one incident count once.
    package var alerts = 0
    package var warnings = 0
    package var notes = 0
    /// The number of skipped checks that compare subjects, if no genuine receipt has a subject.
    package var withoutSubject = 0
    package var notLookedFor: [Omission] = []
    /// The results of the revocation checks, or nil if nothing was checked.
    package var revocation: RevocationCounts?

    /// A check that was skipped.
    package struct Omission: Hashable, Sendable {
        package let title: String
        /// The text that follows "because".
        package let reason: String
    }
}
