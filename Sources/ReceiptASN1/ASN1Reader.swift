/// A reader of BER and DER elements that neither copies bytes nor traps on any input.
///
/// The reader is a cursor with a scope. ``constructed(_:_:_:)`` enters an element, passes the reader to a
/// closure and leaves the element again. It throws if the closure has not read the whole content. The scope
/// records how its element ends, so the reader never searches for the end of an indefinite length.
///
/// Recursion follows the caller's grammar, never the input, and its depth is limited.
public struct ASN1Reader: ~Escapable {
    @usableFromInline
    let bytes: Span<UInt8>

    @usableFromInline
    var cursor: Int

    /// The end of the innermost scope with a definite length.
    @usableFromInline
    var end: Int

    /// Whether end-of-contents octets, rather than `end`, close the innermost scope.
    @usableFromInline
    var isIndefinite = false

    @usableFromInline
    var depth = 0
    @usableFromInline
    let maximumDepth: Int

    @usableFromInline
    var accepted: ASN1Leniencies = []

    /// The offset of the next byte, from the start of the input.
    @inlinable
    public var position: Int { cursor }

    /// The deviations from DER accepted so far.
    @inlinable
    public var leniencies: ASN1Leniencies { accepted }

    /// Creates a reader.
    /// - Parameters:
    ///   - bytes: the input. Offsets in errors count from its start.
    ///   - range: the part to read; by default all of it.
    ///   - maximumDepth: the maximum depth of nested constructed elements.
    @inlinable
    @inline(__always)
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, in range: Range<Int>? = nil, maximumDepth: Int = 32) {
        self.bytes = bytes
        self.cursor = max(0, range?.lowerBound ?? 0)
        self.end = min(bytes.count, range?.upperBound ?? bytes.count)
        self.maximumDepth = maximumDepth
    }

    // MARK: - Elements

    /// Whether the innermost scope has no more elements.
    @inlinable
    @inline(__always)
    public var isAtEnd: Bool { isIndefinite ? isEndOfContents : cursor >= end }

    /// The tag of the next element, or nil at the end of the scope.
    @inlinable
    @inline(__always)
    public var nextTag: ASN1Tag? {
        isAtEnd || cursor >= end ? nil : ASN1Tag(rawValue: bytes[cursor])
    }

    /// Reads a primitive element.
    /// - Returns: the range of its content in the input.
    @inlinable
    @inline(__always)
    public mutating func primitive(_ tag: ASN1Tag) throws(ASN1Error) -> Range<Int> {
        let start = cursor
        let header = try self.header(tag)
        guard let length = header.length else { throw ASN1Error(.indefinitePrimitive, at: start) }
        cursor += length
        return cursor - length..<cursor
    }

    /// Reads a constructed element with `body`, which must read the whole content.
    /// - Parameters:
    ///   - tag: the tag that the element must have.
    ///   - field: the name to add to the path of errors.
    ///   - body: reads the content.
    @inlinable
    @inline(__always)
    public mutating func constructed<Value>(
        _ tag: ASN1Tag, _ field: StaticString = "", _ body: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> Value {
        let start = cursor
        do throws(ASN1Error) {
            let header = try self.header(tag)
            guard depth < maximumDepth else {
                throw ASN1Error(.nestingTooDeep(limit: maximumDepth), at: start)
            }
            let outer = (end: end, isIndefinite: isIndefinite)
            if let length = header.length { end = cursor + length }
            isIndefinite = header.length == nil
            depth += 1
            let value = try body(&self)
            guard isAtEnd else {
                throw ASN1Error(cursor < end ? .trailingBytes : .truncatedHeader, at: cursor)
            }
            if isIndefinite { cursor += 2 }
            depth -= 1
            (end, isIndefinite) = outer
            return value
        } catch {
            throw field.utf8CodeUnitCount == 0 ? error : error.within(field.description)
        }
    }

    /// The unread octets of the scope, for callers that parse many elements themselves. Call ``skip(to:)``
    /// afterwards.
    ///
    /// Empty if the depth limit is reached. In a scope of indefinite length, the content ends before this
    /// range ends; see ``isAtEnd``.
    @inlinable
    @inline(__always)
    public var unreadOctets: Range<Int> { cursor < end && depth < maximumDepth ? cursor..<end : end..<end }

    /// Advances to `position`, the end of the elements that the caller has parsed itself.
    @inlinable
    @inline(__always)
    public mutating func skip(to position: Int) { cursor = min(max(cursor, position), end) }

    /// Skips one element of any kind.
    /// - Returns: the range of the whole element in the input, including the header and any end-of-contents
    ///   octets.
    @inlinable
    public mutating func element() throws(ASN1Error) -> Range<Int> {
        let start = cursor
        var open = 0
        repeat {
            let elementStart = cursor
            if open > 0, isEndOfContents {
                cursor += 2
                open -= 1
                continue
            }
            let header = try self.header(nil)
            if let length = header.length {
                cursor += length
            } else {
                open += 1
                guard depth + open <= maximumDepth else {
                    throw ASN1Error(.nestingTooDeep(limit: maximumDepth), at: elementStart)
                }
            }
        } while open > 0
        return start..<cursor
    }

    /// Checks that the whole input was read.
    /// - Throws: ``ASN1Fault/trailingBytes`` if bytes are left.
    @inlinable
    public func finish() throws(ASN1Error) {
        guard cursor == end else { throw ASN1Error(.trailingBytes, at: cursor) }
    }

    @inlinable
    var isEndOfContents: Bool {
        cursor < end - 1 && bytes[cursor] == 0 && bytes[cursor + 1] == 0
    }

    // MARK: - Headers

    /// Reads identifier and length octets. Afterwards, `position` is the start of the content.
    /// - Returns: the tag, and the length in bytes, or nil if it is indefinite.
    @inlinable
    @inline(__always)
    mutating func header(_ expected: ASN1Tag?) throws(ASN1Error) -> (tag: ASN1Tag, length: Int?) {
        let start = cursor
        guard end - start >= 2, !isIndefinite || !isEndOfContents else { throw missingHeader(expected) }
        let tag = ASN1Tag(rawValue: bytes[start])
        if let expected {
            if tag != expected { throw ASN1Error(.unexpectedTag(expected: expected, found: tag), at: start) }
        } else {
            if tag.rawValue & 0x1F == 0x1F { throw ASN1Error(.highTagNumber, at: start) }
            if tag.rawValue == 0 { throw ASN1Error(.unexpectedEndOfContents, at: start) }
        }
        let first = bytes[start + 1]
        cursor = start + 2
        if first < 0x80 {
            guard Int(first) <= end - cursor else { throw truncated(UInt64(first), start) }
            return (tag, Int(first))
        }
        return (tag, try longLength(first, tag, start: start))
    }

    @usableFromInline
    func missingHeader(_ expected: ASN1Tag?) -> ASN1Error {
        ASN1Error(isAtEnd ? .missingElement(expected: expected) : .truncatedHeader, at: cursor)
    }

    @usableFromInline
    func truncated(_ length: UInt64, _ start: Int) -> ASN1Error {
        ASN1Error(.truncatedContent(length: length, available: end - cursor), at: start)
    }

    /// Reads a length of more than one octet.
    /// - Returns: the length in bytes, or nil if it is indefinite.
    @usableFromInline
    mutating func longLength(_ first: UInt8, _ tag: ASN1Tag, start: Int) throws(ASN1Error) -> Int? {
        // Nearly all of these lengths have two or three octets, and need no loop.
        if let content = bytes.smallContent(ofLengthAt: start + 1, before: end) {
            cursor = content.lowerBound
            return content.count
        }
        if first == 0x80 {
            guard tag.isConstructed else { throw ASN1Error(.indefinitePrimitive, at: start) }
            accepted.insert(.indefiniteLength)
            return nil
        }
        if first == 0xFF { throw ASN1Error(.reservedLength, at: start) }
        let octets = Int(first & 0x7F)
        if octets > 8 { throw ASN1Error(.lengthOverflow, at: start) }
        guard octets <= end - cursor else { throw ASN1Error(.truncatedHeader, at: start) }
        var length: UInt64 = 0
        for index in cursor..<cursor + octets { length = length << 8 | UInt64(bytes[index]) }
        cursor += octets
        if length < 0x80 || length >> (8 * UInt64(octets - 1)) == 0 { accepted.insert(.nonMinimalLength) }
        guard length <= UInt64(end - cursor) else { throw truncated(length, start) }
        return Int(length)
    }

    @inlinable
    mutating func note(_ leniency: ASN1Leniencies) { accepted.insert(leniency) }
}

extension Span<UInt8> {
    /// Returns the range of the content after the length octets at `index`. Returns nil if the length is not
    /// minimal (DER) or has more than three octets, or if the content ends after `end`.
    @inlinable
    @inline(__always)
    public func smallContent(ofLengthAt index: Int, before end: Int) -> Range<Int>? {
        guard index < end, end <= count else { return nil }
        let first = self[index]
        var start = index &+ 1
        var length = Int(first)
        if first >= 0x80 {
            if first == 0x81, end &- start >= 1, self[start] >= 0x80 {
                length = Int(self[start])
                start &+= 1
            } else if first == 0x82, end &- start >= 2, self[start] != 0 {
                length = Int(self[start]) << 8 | Int(self[start &+ 1])
                start &+= 2
            } else {
                return nil
            }
        }
        return length <= end &- start ? start..<start &+ length : nil
    }
}
