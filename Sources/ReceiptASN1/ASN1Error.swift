/// An error found while reading BER or DER: the fault, its offset and its field.
public struct ASN1Error: Error, Hashable, Sendable {
    /// The kind of error.
    public let fault: ASN1Fault

    /// The offset of the first byte of the faulty element, in bytes from the start of the input.
    public let offset: Int

    /// The names of the enclosing fields, outermost first, for example `signerInfos[0].signature`; empty if
    /// they have no names.
    public private(set) var path: String

    /// Creates an error at an offset, optionally with the names of its enclosing fields.
    /// - Parameters:
    ///   - fault: the kind of error.
    ///   - offset: the offset of the faulty element, in bytes from the start of the input.
    ///   - path: the names of the enclosing fields, outermost first.
    public init(_ fault: ASN1Fault, at offset: Int, path: String = "") {
        self.fault = fault
        self.offset = offset
        self.path = path
    }

    /// Returns this error with `field` as the outermost enclosing field.
    public func within(_ field: String) -> ASN1Error {
        var error = self
        let needsDot = !path.isEmpty && !path.hasPrefix("[")
        error.path = field + (needsDot ? "." : "") + path
        return error
    }

    /// Returns this error with another offset, for an input that is itself part of a larger input.
    public func moved(to offset: Int) -> ASN1Error {
        ASN1Error(fault, at: offset, path: path)
    }
}

extension ASN1Error: CustomStringConvertible {
    /// The fault, the path if there is one, and the offset.
    public var description: String {
        path.isEmpty ? "\(fault) (offset \(offset))" : "\(fault) (\(path), offset \(offset))"
    }
}
