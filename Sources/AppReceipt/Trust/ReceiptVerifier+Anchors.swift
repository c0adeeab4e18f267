extension ReceiptVerifier {
    /// The claims of each trust anchor, and its kind, for reports.
    package var anchorFacts: [(realm: TrustRealm, facts: CertificateFacts)] {
        anchors.list.compactMap { anchor in
            CertificateFacts(der: anchor.der, in: context).map { (anchor.realm, $0) }
        }
    }
}
