/// A walker through the elements of any BER or DER input, in byte order, for display and diagnosis.
///
/// It needs no grammar. In a damaged input, it continues as far as possible. It stores the open elements in a
/// stack of limited depth, so no input makes it recurse or trap.
///
/// ```swift
/// var walker = ASN1Walker(bytes)
/// while let event = try walker.next() { … }
/// ```
public struct ASN1Walker: ~Escapable {
    /// The header of an element and the range of its content.
    public struct Element: Hashable, Sendable {
        /// The offset of the first byte of the header.
        public let offset: Int
        /// The number of enclosing elements, including strings entered with ``ASN1Walker/descend()``.
        public let depth: Int
        /// The tag.
        public let tag: ASN1Tag
        /// The range of the content. For an indefinite length, it extends to the end of the enclosing
        /// element.
        public let content: Range<Int>
        /// Whether end-of-contents octets end the element.
        public let isIndefinite: Bool
        /// Whether the length exceeds the bytes that remain. ``content`` covers the bytes that are present.
        public let isTruncated: Bool

        /// The length of the identifier and length octets, in bytes.
        public var headerLength: Int { content.lowerBound - offset }
    }

    /// A step of the walk.
    public enum Event: Hashable, Sendable {
        /// A primitive element, or the start of a constructed element, whose content follows one level
        /// deeper.
        case element(Element)
        /// The two octets that end an element of indefinite length, with the depth of that element.
        case endOfContents(offset: Int, depth: Int)
    }

    /// An open scope: the input, a constructed element, or a string entered with `descend()`.
    private struct Scope {
        let end: Int
        var isIndefinite = false
        var isDescent = false
        /// The error to throw at the end of the scope, because bytes are missing there.
        var fault: ASN1Error?
    }

    private let bytes: Span<UInt8>
    private let maximumDepth: Int
    private var position = 0
    private var scopes: [Scope]
    /// The primitive element returned by the last call of `next()`.
    private var last: Element?

    /// Creates a walker at the start of `bytes`.
    /// - Parameters:
    ///   - bytes: the input. Offsets count from its start.
    ///   - maximumDepth: the maximum depth of nested elements.
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, maximumDepth: Int = 32) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        scopes = [Scope(end: bytes.count)]
    }

    /// Returns the next step, or nil at the end of the input.
    ///
    /// In a truncated element, it first returns the elements that are present, then throws.
    /// - Throws: ``ASN1Error``, without a path. After an error, only ``resume()`` continues the walk.
    public mutating func next() throws(ASN1Error) -> Event? {
        last = nil
        while let scope = scopes.last {
            if scope.isIndefinite {
                guard scope.end - position >= 2 else {
                    throw scope.fault ?? ASN1Error(.truncatedHeader, at: position)
                }
                if bytes[position] == 0, bytes[position + 1] == 0 {
                    position += 2
                    scopes.removeLast()
                    return .endOfContents(offset: position - 2, depth: scopes.count - 1)
                }
            } else if position == scope.end {
                if let fault = scope.fault { throw fault }
                scopes.removeLast()
                continue
            }
            return .element(try element(in: scope))
        }
        return nil
    }

    /// Enters the content of the last primitive element, such as an OCTET STRING that contains encoded
    /// elements. The next steps are these elements, one level deeper.
    /// - Returns: false if the last step was not a primitive element, or if the maximum depth is reached.
    @discardableResult
    public mutating func descend() -> Bool {
        guard let last, scopes.count <= maximumDepth else { return false }
        let fault = last.isTruncated ? scopes.last?.fault : nil
        position = last.content.lowerBound
        scopes.append(Scope(end: last.content.upperBound, isDescent: true, fault: fault))
        return true
    }

    /// Continues after an error, at the end of the innermost string entered with ``descend()``.
    /// - Returns: false if there is no such string. The walk is then over.
    public mutating func resume() -> Bool {
        guard let index = scopes.lastIndex(where: \.isDescent) else { return false }
        position = scopes[index].end
        scopes.removeSubrange(index...)
        return true
    }

    private mutating func element(in scope: Scope) throws(ASN1Error) -> Element {
        let start = position
        let tag = ASN1Tag(rawValue: bytes[start])
        let content: Range<Int>
        var isIndefinite = false
        var fault: ASN1Error?
        var reader = ASN1Reader(bytes, in: start..<scope.end)
        do throws(ASN1Error) {
            let length = try reader.header(nil).length
            isIndefinite = length == nil
            content = reader.position..<(length.map { reader.position + $0 } ?? scope.end)
        } catch {
            // Reports the outermost truncated element, because it causes the others.
            guard case .truncatedContent(_, let available) = error.fault else { throw scope.fault ?? error }
            fault = scope.fault ?? error
            content = scope.end - available..<scope.end
        }
        let depth = scopes.count - 1
        let element = Element(
            offset: start, depth: depth, tag: tag, content: content, isIndefinite: isIndefinite,
            isTruncated: fault != nil)
        if tag.isConstructed {
            guard depth < maximumDepth else {
                throw ASN1Error(.nestingTooDeep(limit: maximumDepth), at: start)
            }
            position = content.lowerBound
            scopes.append(
                Scope(
                    end: content.upperBound, isIndefinite: isIndefinite,
                    fault: isIndefinite ? scope.fault : fault))
        } else {
            position = content.upperBound
            if let fault { scopes[depth].fault = fault }
            last = element
        }
        return element
    }
}
