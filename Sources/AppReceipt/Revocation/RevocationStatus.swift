/// The result of the revocation checks of a genuine object.
public struct RevocationStatus: Hashable, Sendable {
    /// The kinds of results.
    public enum Outcome: String, Sendable, CaseIterable {
        /// There were no revocation lists.
        case notChecked = "not_checked"
        /// Lists cover all certificates below the trust anchor, and none of them was revoked when the object was
        /// signed, according to the date in the object.
        case good
        /// No list shows the status of at least one certificate.
        case noInformation = "no_information"
    }

    /// A reason why the result depends on the date in the object, which its signer has chosen.
    public enum Caveat: String, Sendable, CaseIterable {
        /// A list has revoked a certificate, but from a later date than the object's.
        case beforeRevocation = "before-revocation"
        /// The caller distrusts a certificate, but from a later date than the object's.
        case beforeDistrust = "before-distrust"
    }

    /// The kind of result.
    public let outcome: Outcome
    /// The issue date of the oldest list that ``Outcome/good`` rests on. It is nil for other results.
    public let asOf: Timestamp?
    /// The caveats, without duplicates.
    public let caveats: [Caveat]

    /// The result without lists.
    package static let notChecked = RevocationStatus(outcome: .notChecked, asOf: nil, caveats: [])
}

extension RevocationStatus: CustomStringConvertible {
    public var description: String {
        let text =
            switch outcome {
            case .notChecked: "not checked"
            case .good: asOf.map { "good as of \($0)" } ?? "good"
            case .noInformation: "no information"
            }
        return ([text] + caveats.map(\.words)).joined(separator: "; ")
    }
}

extension RevocationStatus.Caveat {
    var words: String {
        switch self {
        case .beforeRevocation: "a certificate was revoked later; the date before that is the signer's claim"
        case .beforeDistrust: "a certificate is distrusted later; the date before that is the signer's claim"
        }
    }
}
