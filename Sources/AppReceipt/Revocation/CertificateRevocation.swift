/// The entries and lists for a certificate, for objects of any date.
struct CertificateRevocation: Sendable {
    /// The entries that revoke it. Each of them counts, also if a newer list has none.
    var entries: [RevocationEntry] = []
    /// The lists that cover it and do not name it.
    var sources: [RevocationStore.Source] = []

    /// Returns the issue date of the newest list that shows the status when an object of that date was signed.
    ///
    /// A list that was due to be replaced before that date shows nothing. A list that was issued after that date
    /// is the best: it would name a certificate that was revoked since.
    func issueDate(for date: Timestamp) -> Timestamp? {
        var newest: Timestamp?
        for source in sources where source.list.nextUpdate.map({ $0 >= date }) ?? false {
            source.noteUse()
            newest = max(newest ?? source.list.issuedAt, source.list.issuedAt)
        }
        for entry in entries where entry.listIsDueAt >= date {
            newest = max(newest ?? entry.listIssuedAt, entry.listIssuedAt)
        }
        return newest
    }
}
