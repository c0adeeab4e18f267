extension ReceiptVerifier {
    /// The claims of each trust anchor, and its kind, for reports.
    package var anchorFacts: [(realm: TrustAnchorKind, facts: CertificateFacts)] {
        anchors.list.compactMap { anchor in
            CertificateFacts(der: anchor.der, in: context).map { (anchor.realm, $0) }
        }
    }
}
