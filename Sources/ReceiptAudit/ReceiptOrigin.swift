/// Where a receipt came from, as its line names it.
public enum ReceiptOrigin: Hashable, Sendable {
    /// A file: the path as given, or the path below a directory that was given.
    case source(String)
    /// A record of an export.
    case record(id: String, subject: String?)
}
