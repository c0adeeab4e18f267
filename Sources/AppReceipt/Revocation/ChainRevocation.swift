/// The entries and lists for a chain. It is stored with the chain in the caches, so that a receipt costs only
/// the comparison of dates.
struct ChainRevocation: Sendable {
    let policy: RevocationPolicy
    let isWithLists: Bool
    /// The certificates below the trust anchor, from the signer.
    var certificates: [CertificateRevocation] = []
    /// The caller's entries about certificates of the chain, with their positions.
    var distrusted: [(depth: Int, entry: DistrustList.Entry)] = []

    /// A refusal: a revoked certificate, or under ``RevocationPolicy/require`` one of unknown status.
    enum Refusal: Error {
        case revoked(RevokedCertificate)
        case unknown(depth: Int, RevocationStatus.Caveat?)

        var depth: Int {
            switch self {
            case .revoked(let certificate): certificate.depth
            case .unknown(let depth, _): depth
            }
        }
    }

    /// Returns the status for an object.
    /// - Parameters:
    ///   - date: the date of the object, which its signer has chosen.
    ///   - isSigningDate: whether the object was signed at this date. Otherwise, it may have been signed later.
    func status(at date: Timestamp, isSigningDate: Bool) throws(Refusal) -> RevocationStatus {
        // Notes the use of lists also for objects that are refused.
        let issueDates = certificates.map { $0.issueDate(for: date) }
        for (depth, entry) in distrusted where entry.refuses(at: date) {
            throw .revoked(entry.facts(depth: depth))
        }
        for (depth, certificate) in certificates.enumerated() {
            for entry in certificate.entries where entry.refuses(at: date) {
                throw .revoked(entry.facts(depth: depth))
            }
        }
        var caveats: [RevocationStatus.Caveat] = []
        // The first certificate of unknown status.
        var unknown: (depth: Int, caveat: RevocationStatus.Caveat?)?
        for (depth, entry) in distrusted {
            if !caveats.contains(.beforeDistrust) { caveats.append(.beforeDistrust) }
            if !isSigningDate || !entry.leavesEarlierSignatures {
                unknown = unknown ?? (depth, .beforeDistrust)
            }
        }
        var asOf: Timestamp?
        for (depth, certificate) in certificates.enumerated() {
            if !certificate.entries.isEmpty, !caveats.contains(.beforeRevocation) {
                caveats.append(.beforeRevocation)
            }
            if certificate.entries.contains(where: { !isSigningDate || !$0.leavesEarlierSignatures }) {
                unknown = unknown ?? (depth, .beforeRevocation)
            } else if let issuedAt = issueDates[depth] {
                asOf = min(asOf ?? issuedAt, issuedAt)
            } else {
                unknown = unknown ?? (depth, nil)
            }
        }
        // A chain of a single certificate has none below the trust anchor that a list could cover.
        if certificates.isEmpty { unknown = unknown ?? (0, nil) }
        guard let unknown else { return RevocationStatus(outcome: .good, asOf: asOf, caveats: caveats) }
        if policy == .require { throw .unknown(depth: unknown.depth, unknown.caveat) }
        let isChecked = isWithLists || unknown.caveat != nil
        return RevocationStatus(
            outcome: isChecked ? .noInformation : .notChecked, asOf: nil, caveats: caveats)
    }
}

extension CertificateChain {
    /// Checks that no certificate was revoked, and that the policy accepts the status.
    /// - Parameters:
    ///   - date: the date of the object.
    ///   - isSigningDate: whether the object was signed at this date.
    ///   - field: the field of the certificates, for the error.
    @discardableResult
    func requireUnrevoked(
        at date: Timestamp, isSigningDate: Bool = true, field: String
    ) throws(ReceiptError) -> RevocationStatus {
        guard let revocation else { return .notChecked }
        do throws(ChainRevocation.Refusal) {
            return try revocation.status(at: date, isSigningDate: isSigningDate)
        } catch {
            let certificates = certificates
            let certificate = error.depth < certificates.count ? certificates[error.depth] : nil
            switch error {
            case .revoked(let facts):
                throw ReceiptError(.revoked, .revoked(facts), field: field, certificate: certificate)
            case .unknown(let depth, let caveat):
                throw ReceiptError(
                    .revocationUnknown, .revocationUnknown(depth: depth, caveat), field: field,
                    certificate: certificate)
            }
        }
    }

    /// Returns the status for a verified object of this chain, which is not refused.
    func revocationStatus(at date: Timestamp, isSigningDate: Bool = true) -> RevocationStatus {
        guard let revocation else { return .notChecked }
        return (try? revocation.status(at: date, isSigningDate: isSigningDate))
            ?? RevocationStatus(outcome: .noInformation, asOf: nil, caveats: [])
    }
}
