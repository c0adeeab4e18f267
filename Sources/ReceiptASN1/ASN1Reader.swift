/// Reads BER and DER elements one after the other, without copying and without ever trapping.
///
/// The reader is a cursor with a scope: ``constructed(_:_:_:)`` enters an element, hands the reader to a
/// closure and leaves the element when the closure is done, and only if everything in it was read. Because
/// the scope knows how its element ends, an indefinite length costs no search for its end.
///
/// Recursion follows the caller's grammar, never the input; depth is bounded all the same.
public struct ASN1Reader: ~Escapable {
    @usableFromInline
    let bytes: Span<UInt8>

    /// Index of the next byte to be read.
    public private(set) var position = 0

    /// Where the innermost scope of definite length ends.
    private var end: Int

    /// Whether end-of-contents octets, rather than `end`, close the innermost scope.
    private var isIndefinite = false

    private var depth = 0
    private let maximumDepth: Int

    /// What was accepted so far although DER forbids it.
    public private(set) var leniencies: ASN1Leniencies = []

    /// - Parameters:
    ///   - bytes: the input; offsets of errors count from its start.
    ///   - range: the part to read; by default all of it.
    ///   - maximumDepth: how many constructed elements may lie inside one another.
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, in range: Range<Int>? = nil, maximumDepth: Int = 32) {
        self.bytes = bytes
        self.position = max(0, range?.lowerBound ?? 0)
        self.end = min(bytes.count, range?.upperBound ?? bytes.count)
        self.maximumDepth = maximumDepth
    }

    // MARK: - Elements

    /// Whether the innermost scope has no more elements.
    public var isAtEnd: Bool {
        guard isIndefinite else { return position >= end }
        return position < end - 1 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// The tag of the next element; nil at the end of the scope.
    public var nextTag: ASN1Tag? {
        isAtEnd || position >= end ? nil : ASN1Tag(rawValue: bytes[position])
    }

    /// Reads a primitive element.
    /// - Returns: where its content lies in the input.
    public mutating func primitive(_ tag: ASN1Tag) throws(ASN1Error) -> Range<Int> {
        let start = position
        let header = try self.header(tag)
        guard let length = header.length else { throw ASN1Error(.indefinitePrimitive, at: start) }
        position += length
        return position - length..<position
    }

    /// Reads a constructed element: `body` reads what is in it, all of it.
    /// - Parameter field: the name that an error's path gets.
    public mutating func constructed<Value>(
        _ tag: ASN1Tag, _ field: StaticString = "", _ body: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> Value {
        let start = position
        do throws(ASN1Error) {
            let header = try self.header(tag)
            guard depth < maximumDepth else { throw ASN1Error(.nestingTooDeep(limit: maximumDepth), at: start) }
            let outer = (end: end, isIndefinite: isIndefinite)
            if let length = header.length { end = position + length }
            isIndefinite = header.length == nil
            depth += 1
            let value = try body(&self)
            guard isAtEnd else {
                throw ASN1Error(position < end ? .trailingBytes : .truncatedHeader, at: position)
            }
            if isIndefinite { position += 2 }
            depth -= 1
            (end, isIndefinite) = outer
            return value
        } catch {
            throw field.utf8CodeUnitCount == 0 ? error : error.within(field.description)
        }
    }

    /// Passes over one element of any kind.
    /// - Returns: where the whole element lies in the input, header and end included.
    public mutating func element() throws(ASN1Error) -> Range<Int> {
        let start = position
        var open = 0
        repeat {
            let elementStart = position
            if open > 0, isEndOfContents {
                position += 2
                open -= 1
                continue
            }
            let header = try self.header(nil)
            if let length = header.length {
                position += length
            } else {
                open += 1
                guard depth + open <= maximumDepth else {
                    throw ASN1Error(.nestingTooDeep(limit: maximumDepth), at: elementStart)
                }
            }
        } while open > 0
        return start..<position
    }

    /// Fails unless everything was read: for the end of the input.
    public func finish() throws(ASN1Error) {
        guard position == end else { throw ASN1Error(.trailingBytes, at: position) }
    }

    private var isEndOfContents: Bool {
        position < end - 1 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    // MARK: - Headers

    /// Reads identifier and length octets; afterwards `position` is where the content begins.
    /// - Returns: the tag, and the length in bytes; nil where it is indefinite.
    @inline(__always)
    mutating func header(_ expected: ASN1Tag?) throws(ASN1Error) -> (tag: ASN1Tag, length: Int?) {
        let start = position
        guard !isAtEnd else { throw ASN1Error(.missingElement(expected: expected), at: start) }
        guard end - start >= 2 else { throw ASN1Error(.truncatedHeader, at: start) }
        let tag = ASN1Tag(rawValue: bytes[start])
        if let expected, tag != expected {
            throw ASN1Error(.unexpectedTag(expected: expected, found: tag), at: start)
        }
        if tag.rawValue & 0x1F == 0x1F { throw ASN1Error(.highTagNumber, at: start) }
        if tag.rawValue == 0 { throw ASN1Error(.unexpectedEndOfContents, at: start) }

        let first = bytes[start + 1]
        position = start + 2
        if first < 0x80 {
            guard Int(first) <= end - position else {
                throw ASN1Error(.truncatedContent(length: UInt64(first), available: end - position), at: start)
            }
            return (tag, Int(first))
        }
        if first == 0x80 {
            guard tag.isConstructed else { throw ASN1Error(.indefinitePrimitive, at: start) }
            leniencies.insert(.indefiniteLength)
            return (tag, nil)
        }
        return (tag, try longLength(octets: Int(first & 0x7F), start: start))
    }

    private mutating func longLength(octets: Int, start: Int) throws(ASN1Error) -> Int {
        if octets == 0x7F { throw ASN1Error(.reservedLength, at: start) }
        if octets > 8 { throw ASN1Error(.lengthOverflow, at: start) }
        guard octets <= end - position else { throw ASN1Error(.truncatedHeader, at: start) }
        var length: UInt64 = 0
        for index in position..<position + octets { length = length << 8 | UInt64(bytes[index]) }
        position += octets
        if length < 0x80 || length >> (8 * UInt64(octets - 1)) == 0 { leniencies.insert(.nonMinimalLength) }
        guard length <= UInt64(end - position) else {
            throw ASN1Error(.truncatedContent(length: length, available: end - position), at: start)
        }
        return Int(length)
    }

    mutating func note(_ leniency: ASN1Leniencies) { leniencies.insert(leniency) }
}
