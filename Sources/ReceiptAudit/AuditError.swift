/// An error that ends an audit: one line with the problem and its place.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
