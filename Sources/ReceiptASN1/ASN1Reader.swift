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

    @usableFromInline
    var cursor: Int

    /// Where the innermost scope of definite length ends.
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

    /// Index of the next byte to be read.
    @inlinable
    public var position: Int { cursor }

    /// What was accepted so far although DER forbids it.
    @inlinable
    public var leniencies: ASN1Leniencies { accepted }

    /// - Parameters:
    ///   - bytes: the input; offsets of errors count from its start.
    ///   - range: the part to read; by default all of it.
    ///   - maximumDepth: how many constructed elements may lie inside one another.
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

    /// The tag of the next element; nil at the end of the scope.
    @inlinable
    @inline(__always)
    public var nextTag: ASN1Tag? {
        isAtEnd || cursor >= end ? nil : ASN1Tag(rawValue: bytes[cursor])
    }

    /// Reads a primitive element.
    /// - Returns: where its content lies in the input.
    @inlinable
    @inline(__always)
    public mutating func primitive(_ tag: ASN1Tag) throws(ASN1Error) -> Range<Int> {
        let start = cursor
        let header = try self.header(tag)
        guard let length = header.length else { throw ASN1Error(.indefinitePrimitive, at: start) }
        cursor += length
        return cursor - length..<cursor
    }

    /// Reads a constructed element: `body` reads what is in it, all of it.
    /// - Parameters:
    ///   - tag: of the element.
    ///   - field: the name that an error's path gets.
    ///   - body: is handed a reader of the content.
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

    /// Up to where an element of the scope may reach, for callers who read very many in one go; empty where no constructed
    /// one may lie in it. Nothing is read yet; see ``skip(to:)``. A scope of indefinite length ends before: ``isAtEnd``
    /// says where.
    @inlinable
    @inline(__always)
    public var unreadOctets: Range<Int> { cursor < end && depth < maximumDepth ? cursor..<end : end..<end }

    /// Goes on behind an element whose content the caller has read.
    @inlinable
    @inline(__always)
    public mutating func skip(to position: Int) { cursor = min(max(cursor, position), end) }

    /// Passes over one element of any kind.
    /// - Returns: where the whole element lies in the input, header and end included.
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

    /// Fails unless everything was read: for the end of the input.
    @inlinable
    public func finish() throws(ASN1Error) {
        guard cursor == end else { throw ASN1Error(.trailingBytes, at: cursor) }
    }

    @inlinable
    var isEndOfContents: Bool {
        cursor < end - 1 && bytes[cursor] == 0 && bytes[cursor + 1] == 0
    }

    // MARK: - Headers

    /// Reads identifier and length octets; afterwards `position` is where the content begins.
    /// - Returns: the tag, and the length in bytes; nil where it is indefinite.
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

    /// - Returns: nil for the indefinite form.
    @usableFromInline
    mutating func longLength(_ first: UInt8, _ tag: ASN1Tag, start: Int) throws(ASN1Error) -> Int? {
        // Nearly all lengths are of two or three octets, and need no loop.
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
    /// Where the content behind the length octets at `index` lies, if the length is DER and takes one to
    /// three octets, and the content ends at or before `end`.
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
