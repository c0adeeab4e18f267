/// The use of certificate revocation lists and distrust lists.
public enum RevocationPolicy: String, Sendable, CaseIterable {
    /// Checks nothing, and uses no list.
    case off
    /// Refuses revoked and distrusted certificates. Accepts certificates that no list covers, and reports it.
    case check
    /// Also refuses certificates whose status no list shows.
    case require
}
