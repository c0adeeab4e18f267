/// The reason why a revocation list gives no information.
public enum RevocationListFault: Hashable, Sendable {
    // Of the list itself

    /// Version 1, which has no extensions. RFC 5280, 5.1.2.1 requires version 2.
    case version
    /// The signature algorithm is not RSA PKCS #1 v1.5 or ECDSA with SHA-256 or stronger.
    case algorithm
    /// The date of the next list is missing, which RFC 5280, 5.1.2.5 requires.
    case noNextUpdate
    /// A delta CRL, which only changes another list.
    case delta
    /// An indirect CRL, which has certificates of other issuers.
    case indirect
    /// The list covers only some reasons.
    case someReasons
    /// An entry removes a certificate from the list, which only a delta CRL may do.
    case removal
    /// An unknown critical extension, in dotted decimal.
    case criticalExtension(String)

    // For the chains that were verified

    /// No verified chain has a certificate of the list's issuer.
    case issuer
    /// The issuer's certificate does not allow it to sign revocation lists (RFC 5280, 4.2.1.3).
    case keyUsage
    /// The issuer did not sign the list.
    case signature
    /// The list is for other kinds of certificates, or for other distribution points.
    case scope
    /// The list was issued after the certificates expired, so it may have dropped revoked ones (RFC 5280, 3.3).
    case afterExpiry
    /// The next list was due before the objects were signed.
    case outdated
}

extension RevocationListFault {
    /// Whether the list is unusable, and not only without use for the chains that were verified.
    public var isOfList: Bool {
        switch self {
        case .issuer, .scope, .afterExpiry, .outdated: false
        default: true
        }
    }
}

extension RevocationListFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .version: "version 1, expected version 2"
        case .algorithm:
            "unsupported signature algorithm, expected RSA PKCS #1 v1.5 or ECDSA with SHA-256, SHA-384 or SHA-512"
        case .noNextUpdate: "nextUpdate is missing"
        case .delta: "delta CRL, expected a complete list"
        case .indirect: "indirect CRL, expected a list of the certificates' issuer"
        case .someReasons: "covers only some revocation reasons"
        case .removal: "an entry has the reason removeFromCRL, which only delta CRLs may have"
        case .criticalExtension(let identifier): "unknown critical extension \(identifier)"
        case .issuer: "its issuer has issued no certificate of a verified chain"
        case .keyUsage: "its issuer's certificate does not allow signing CRLs"
        case .signature: "its issuer did not sign it"
        case .scope: "covers no certificate of a verified chain"
        case .afterExpiry: "issued after the certificates expired; revoked ones may have been dropped"
        case .outdated: "its next list was due before any of the objects was signed"
        }
    }
}
