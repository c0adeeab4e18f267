/// One kind of finding: inconsistencies within receipts and across them.
///
/// Findings rest on genuine receipts, because the contents of others are not trustworthy. Rules that compare
/// transactions ignore tests in Xcode, because every test starts with the same numbers. They also ignore the
/// ID "0", which identifies nothing.
struct FindingRule: Sendable {
    let kind: String
    /// The candidates that the evidence is restricted to, or nil to use all rows. Without candidates, the
    /// rule is skipped.
    var candidates: FindingCandidates.Kind?
    let title: String
    let reason: String
    /// The query for rows of evidence: `realm`, environment, key, severity, summary, receipt_id, position,
    /// certificate_id. Rows with the same key form one finding, which has the severity and summary of its
    /// first row. A slash in a part of a key other than the last one is `␀/`, which no text contains
    /// otherwise. The rows are streamed, so memory is bounded.
    let evidence: String
}
