/// The reason why a certificate was revoked (RFC 5280, 5.3.1). The raw values are those of distrust lists.
public enum RevocationReason: String, Sendable, CaseIterable {
    /// No reason: `unspecified`.
    case unspecified
    /// The private key was stolen, or may have been: `keyCompromise`.
    case keyCompromise = "key-compromise"
    /// The private key of an issuer was stolen, or may have been: `cACompromise`.
    case authorityCompromise = "ca-compromise"
    /// The name or other data in the certificate changed: `affiliationChanged`.
    case affiliationChanged = "affiliation-changed"
    /// Another certificate replaced it: `superseded`.
    case superseded
    /// The certificate is no longer needed: `cessationOfOperation`.
    case cessationOfOperation = "cessation-of-operation"
    /// The certificate is suspended, and may become valid again: `certificateHold`.
    case certificateHold = "certificate-hold"
    /// A privilege in the certificate was withdrawn: `privilegeWithdrawn`.
    case privilegeWithdrawn = "privilege-withdrawn"
    /// The attribute authority was compromised: `aACompromise`.
    case attributeAuthorityCompromise = "aa-compromise"

    /// Whether an attacker may have the key. The attacker then chooses the dates of signatures.
    var isCompromise: Bool {
        [.keyCompromise, .authorityCompromise, .attributeAuthorityCompromise].contains(self)
    }

    /// Whether the reason shows that signatures from before the revocation are not affected.
    var leavesEarlierSignatures: Bool {
        [.affiliationChanged, .superseded, .cessationOfOperation, .privilegeWithdrawn].contains(self)
    }

    /// The reasons by their numbers in a CRL. 7 is unused, and 8 is removeFromCRL.
    private static let numbered: [RevocationReason?] = [
        .unspecified, .keyCompromise, .authorityCompromise, .affiliationChanged, .superseded,
        .cessationOfOperation, .certificateHold, nil, nil, .privilegeWithdrawn, .attributeAuthorityCompromise,
    ]

    /// Creates a reason from its number in a CRL. Returns nil for removeFromCRL (8) and for unknown numbers.
    init?(number: UInt8) {
        guard number < Self.numbered.count, let reason = Self.numbered[Int(number)] else { return nil }
        self = reason
    }

    var words: String {
        String(decoding: rawValue.utf8.map { $0 == UInt8(ascii: "-") ? 0x20 : $0 }, as: UTF8.self)
    }
}
