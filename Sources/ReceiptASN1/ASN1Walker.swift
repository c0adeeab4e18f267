/// Goes through the elements of any BER or DER input in the order of their bytes, for display and diagnosis:
/// it knows no grammar, and it goes as far as it can where the input is damaged.
///
/// The elements that are open lie on a stack of bounded depth; no input makes the walker recurse or trap.
///
/// ```swift
/// var walker = ASN1Walker(bytes)
/// while let event = try walker.next() { … }
/// ```
public struct ASN1Walker: ~Escapable {
    /// The header of an element, and where its content lies.
    public struct Element: Hashable, Sendable {
        /// Index of the first byte of the header.
        public let offset: Int
        /// How many elements lie around this one, strings that were descended into included.
        public let depth: Int
        /// What kind of element it is.
        public let tag: ASN1Tag
        /// Where the content lies; for an indefinite length, up to where the enclosing element ends at most.
        public let content: Range<Int>
        /// Whether end-of-contents octets end the element.
        public let isIndefinite: Bool
        /// Whether the length promises more bytes than there are. ``content`` has those that are there.
        public let isTruncated: Bool

        /// Bytes of identifier and length.
        public var headerLength: Int { content.lowerBound - offset }
    }

    /// What the walker meets.
    public enum Event: Hashable, Sendable {
        /// A primitive element, or the start of a constructed one: what is in it follows, one level deeper.
        case element(Element)
        /// The two octets that end an element of indefinite length; the depth is that element's.
        case endOfContents(offset: Int, depth: Int)
    }

    /// Something that is open: the input, a constructed element, or a string that was descended into.
    private struct Scope {
        let end: Int
        var isIndefinite = false
        var isDescent = false
        /// What is thrown at the end, because bytes are missing there.
        var fault: ASN1Error?
    }

    private let bytes: Span<UInt8>
    private let maximumDepth: Int
    private var position = 0
    private var scopes: [Scope]
    /// The primitive element that came last.
    private var last: Element?

    /// - Parameters:
    ///   - bytes: the input; offsets count from its start.
    ///   - maximumDepth: how many elements may lie inside one another.
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, maximumDepth: Int = 32) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        scopes = [Scope(end: bytes.count)]
    }

    /// The next step; nil when the whole input was walked.
    ///
    /// An element whose length promises too much is walked as far as it goes, and then reported.
    /// - Throws: ``ASN1Error``, without a path. The walk can go on with ``resume()`` alone.
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

    /// Takes the content of the primitive element that came last for elements: they follow, one level deeper,
    /// before what comes behind it. For OCTET STRINGs that hold the encoding of something.
    /// - Returns: false where no primitive element came last, or the depth is exhausted.
    @discardableResult
    public mutating func descend() -> Bool {
        guard let last, scopes.count <= maximumDepth else { return false }
        let fault = last.isTruncated ? scopes.last?.fault : nil
        position = last.content.lowerBound
        scopes.append(Scope(end: last.content.upperBound, isDescent: true, fault: fault))
        return true
    }

    /// After an error: goes on behind the innermost string that was descended into, whose content was at
    /// fault.
    /// - Returns: false where there is none, and nothing more can be walked.
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
            // The outermost element with too few bytes is the one to report: the others follow from it.
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
