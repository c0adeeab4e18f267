extension ASN1Reader {
    /// Reads a signed INTEGER of at most 64 bits (X.690, 8.3).
    /// - Throws: ``ASN1Error``, with ``ASN1Fault/integerOutOfRange`` for a longer one.
    @inlinable
    @inline(__always)
    public mutating func integer() throws(ASN1Error) -> Int64 {
        let start = position
        let content = try primitive(.integer)
        if content.count == 1 { return Int64(Int8(bitPattern: bytes[content.lowerBound])) }
        guard !content.isEmpty else { throw ASN1Error(.emptyInteger, at: start) }
        guard content.count <= 8 else { throw ASN1Error(.integerOutOfRange, at: start) }
        noteMinimality(of: content)
        var value = Int64(Int8(bitPattern: bytes[content.lowerBound]))
        for index in content.dropFirst() { value = value << 8 | Int64(bytes[index]) }
        return value
    }

    /// Reads an INTEGER from 0 to 2⁶⁴ - 1. The largest values need nine octets of content.
    /// - Throws: ``ASN1Error``, with ``ASN1Fault/integerOutOfRange`` for other values.
    @inlinable
    public mutating func unsignedInteger() throws(ASN1Error) -> UInt64 {
        let start = position
        let content = try primitive(.integer)
        guard !content.isEmpty else { throw ASN1Error(.emptyInteger, at: start) }
        let first = bytes[content.lowerBound]
        guard first < 0x80, content.count <= 8 || (content.count == 9 && first == 0) else {
            throw ASN1Error(.integerOutOfRange, at: start)
        }
        noteMinimality(of: content)
        var value: UInt64 = 0
        for index in content { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    /// Notes a leading octet that DER forbids: the first nine bits must not all be equal (X.690, 8.3.2).
    @inlinable
    @inline(__always)
    mutating func noteMinimality(of content: Range<Int>) {
        guard content.count > 1 else { return }
        let first = bytes[content.lowerBound]
        let sign = bytes[content.lowerBound + 1] & 0x80
        if (first == 0 && sign == 0) || (first == 0xFF && sign != 0) { note(.nonMinimalInteger) }
    }

    /// Reads a UTF8String or an IA5String and validates its bytes.
    /// - Returns: the range of the text in the input. The text is valid UTF-8 for both types.
    /// - Throws: ``ASN1Error``, with ``ASN1Fault/invalidText`` if the bytes are not UTF-8, or not ASCII in an
    ///   IA5String.
    @inlinable
    public mutating func text() throws(ASN1Error) -> Range<Int> {
        let start = position
        let isIA5 = nextTag == .ia5String
        let content = try primitive(isIA5 ? .ia5String : .utf8String)
        let text = bytes.extracting(content)
        guard text.isASCII || !isIA5 && text.isUTF8 else { throw ASN1Error(.invalidText, at: start) }
        return content
    }

    /// Reads an OCTET STRING, primitive or split into chunks one level deep (X.690, 8.7).
    @inlinable
    public mutating func octetString() throws(ASN1Error) -> ASN1OctetString {
        guard nextTag == .constructedOctetString else {
            let content = try primitive(.octetString)
            return ASN1OctetString(content: content, count: content.count, isChunked: false)
        }
        note(.constructedOctetString)
        return try constructed(.constructedOctetString) { (reader) throws(ASN1Error) in
            let start = reader.position
            var count = 0
            while !reader.isAtEnd { count += try reader.primitive(.octetString).count }
            return ASN1OctetString(content: start..<reader.position, count: count, isChunked: true)
        }
    }
}

extension Span<UInt8> {
    /// Whether every byte is below 0x80.
    @inlinable
    public var isASCII: Bool {
        var union: UInt8 = 0
        for index in indices { union |= self[index] }
        return union < 0x80
    }

    @usableFromInline
    var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
