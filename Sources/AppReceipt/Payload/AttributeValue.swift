import ReceiptASN1

/// A reader of the single DER value that an attribute contains.
struct AttributeValue: ~Escapable {
    private let bytes: Span<UInt8>
    private let range: Range<Int>

    @inline(__always)
    @_lifetime(copy bytes)
    init(_ attribute: ReceiptAttribute, of bytes: Span<UInt8>) {
        self.bytes = bytes
        range = attribute.value
    }

    /// Returns the range of the content if the value is one element of this tag with a one-octet length.
    /// Nearly all values have this form and need no reader.
    @inline(__always)
    private func shortContent(_ tag: ASN1Tag) -> Range<Int>? {
        let count = range.count &- 2
        guard count >= 0, count < 0x80, bytes[range.lowerBound] == tag.rawValue,
            bytes[range.lowerBound &+ 1] == UInt8(truncatingIfNeeded: count)
        else { return nil }
        return range.lowerBound &+ 2..<range.upperBound
    }

    private func whole<Value>(
        _ leniencies: inout ASN1Leniencies, _ read: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> Value {
        var reader = ASN1Reader(bytes, in: range)
        let value = try read(&reader)
        try reader.finish()
        leniencies.formUnion(reader.leniencies)
        return value
    }

    @inline(__always)
    private func textRange(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> Range<Int> {
        if let content = shortContent(.utf8String) ?? shortContent(.ia5String),
            bytes.extracting(content).isASCII
        {
            return content
        }
        return try whole(&leniencies) { (reader) throws(ASN1Error) in try reader.text() }
    }

    @inline(__always)
    func text(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> PayloadSlice {
        PayloadSlice(try textRange(&leniencies))
    }

    /// Reads a date. An empty string means that there is no date.
    func date(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> PayloadDate {
        if let content = shortContent(.ia5String), let date = Timestamp(usual: bytes.extracting(content)) {
            return PayloadDate(date)
        }
        let text = try textRange(&leniencies)
        if text.isEmpty { return .absent }
        guard let date = Timestamp(rfc3339: bytes.extracting(text)) else {
            throw ASN1Error(.invalidDate, at: text.lowerBound)
        }
        return PayloadDate(date)
    }

    func identifier(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> UInt64 {
        if let content = shortContent(.integer), content.count <= 7, let first = content.first,
            bytes[first] < 0x80,
            bytes[first] != 0
        {
            return content.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }
        return try whole(&leniencies) { (reader) throws(ASN1Error) in try reader.unsignedInteger() }
    }

    @inline(__always)
    func integer(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> Int64 {
        if let content = shortContent(.integer), content.count == 1 {
            return Int64(Int8(bitPattern: bytes[content.lowerBound]))
        }
        return try whole(&leniencies) { (reader) throws(ASN1Error) in try reader.integer() }
    }

    func count(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> UInt32 {
        guard let value = UInt32(exactly: try integer(&leniencies)) else {
            throw ASN1Error(.integerOutOfRange, at: range.lowerBound)
        }
        return value
    }

    func flag(_ leniencies: inout ASN1Leniencies) throws(ASN1Error) -> Bool {
        switch try integer(&leniencies) {
        case 0: return false
        case 1: return true
        default: throw ASN1Error(.unexpectedValue, at: range.lowerBound)
        }
    }
}
