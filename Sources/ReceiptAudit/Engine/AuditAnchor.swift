package import AppReceipt

/// A root that an audit trusts, as its database and report name it.
package struct AuditAnchor: Codable, Hashable, Sendable {
    /// The name: "Apple Root CA", "a root of your own", "StoreKit Test".
    package let name: String
    package let subject: String
    /// The raw value of a `TrustAnchorKind`.
    package let realm: String
    /// The SHA-256 of the certificate in hexadecimal.
    package let sha256: String

    package init(_ anchor: (realm: TrustAnchorKind, facts: CertificateFacts)) {
        realm = anchor.realm.rawValue
        subject = anchor.facts.subject
        sha256 = hexadecimal(anchor.facts.sha256)
        name =
            switch anchor.realm {
            case .appStore:
                subject.split(separator: ",").first { $0.hasPrefix("CN=") }.map { String($0.dropFirst(3)) }
                    ?? subject
            case .storeKitTest: "StoreKit Test"
            case .custom: "a root of your own"
            }
    }
}
