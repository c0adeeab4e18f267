/// An error that ends an audit: one line with the problem and its place.
package struct AuditError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// Runs `body`. Its error becomes one line that begins with a name.
    package static func naming<Value, Failure: Error>(
        _ name: String, _ body: () throws(Failure) -> Value
    ) throws(AuditError) -> Value {
        do throws(Failure) { return try body() } catch { throw AuditError("\(name): \(error)") }
    }

    /// - Parameter kind: The kind of file that may be replaced. This file is of another kind. Nil if no file
    ///   may be replaced.
    package static func exists(_ path: String, not kind: String? = nil) -> AuditError {
        let reason = kind.map { ", which is not \($0)" } ?? ""
        return AuditError("refusing to overwrite \(path)\(reason); choose another path or delete it")
    }
}
