/// Something that ends an audit: one line that says what and where.
public struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
