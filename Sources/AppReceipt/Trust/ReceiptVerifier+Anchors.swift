extension ReceiptVerifier {
    /// What each anchor says of itself, and what it may vouch for: for a report.
    package var anchorFacts: [(realm: TrustRealm, facts: CertificateFacts)] {
        anchors.list.compactMap { anchor in
            CertificateFacts(der: anchor.der, in: context).map { (anchor.realm, $0) }
        }
    }
}
