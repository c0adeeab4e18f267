/// The facts about a revoked or distrusted certificate.
public struct RevokedCertificate: Hashable, Sendable {
    /// The position in the chain, counted from the signer at 0.
    public let depth: Int
    /// The revocation date, or the date from which the caller distrusts the certificate. Nil if the caller
    /// distrusts it for all dates.
    public let date: Timestamp?
    /// The date since which the certificate was invalid, if the revocation list has it.
    public let invalidityDate: Timestamp?
    /// The reason, or nil if none is given.
    public let reason: RevocationReason?
    /// The issue date of the revocation list, or nil for the caller's distrust list.
    public let listIssuedAt: Timestamp?
    /// The note in the caller's distrust list.
    public let note: String?
}

extension RevokedCertificate: CustomStringConvertible {
    public var description: String {
        var text = "certificate \(depth): \(listIssuedAt == nil ? "distrusted" : "revoked")"
        if let date { text += listIssuedAt == nil ? " from \(date)" : " \(date)" }
        if let invalidityDate { text += ", invalid since \(invalidityDate)" }
        if let reason { text += ", \(reason.words)" }
        if let listIssuedAt { text += ", in the list of \(listIssuedAt)" }
        if let note { text += ", \(note)" }
        return text
    }
}
