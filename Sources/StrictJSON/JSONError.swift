/// An error found while reading JSON: the fault, its offset and its path.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of error.
    public let fault: JSONFault

    /// The offset of the faulty byte, or of the first byte of the faulty value, in bytes from the start of
    /// the input.
    public let offset: Int

    /// The enclosing members and elements, outermost first, for example
    /// `subscriptionGroups[0].subscriptions[2].productID`. Empty for the whole document.
    public let path: String

    /// Creates an error, for readers that check values on top of `JSONReader`.
    public init(_ fault: JSONFault, at offset: Int, path: String = "") {
        self.fault = fault
        self.offset = offset
        self.path = path
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        path.isEmpty ? "at byte \(offset): \(fault)" : "\(path) (byte \(offset)): \(fault)"
    }
}
