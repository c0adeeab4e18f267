import ReceiptASN1

/// Reads the one DER value that an attribute holds, all of it.
struct AttributeValue: ~Escapable {
    private let bytes: Span<UInt8>
    private let range: Range<Int>
    private(set) var leniencies: ASN1Leniencies = []

    @_lifetime(copy bytes)
    init(_ attribute: ReceiptAttribute, of bytes: Span<UInt8>) {
        self.bytes = bytes
        range = attribute.value
    }

    private mutating func whole<Value>(
        _ read: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> Value {
        var reader = ASN1Reader(bytes, in: range)
        let value = try read(&reader)
        try reader.finish()
        leniencies.formUnion(reader.leniencies)
        return value
    }

    mutating func text() throws(ASN1Error) -> PayloadSlice {
        PayloadSlice(try whole { (reader) throws(ASN1Error) in try reader.text() })
    }

    /// The empty string means "no date".
    mutating func date() throws(ASN1Error) -> PayloadDate {
        let text = try whole { (reader) throws(ASN1Error) in try reader.text() }
        if text.isEmpty { return .absent }
        guard let date = Timestamp(rfc3339: bytes.extracting(text)) else {
            throw ASN1Error(.invalidDate, at: text.lowerBound)
        }
        return PayloadDate(date)
    }

    mutating func identifier() throws(ASN1Error) -> UInt64 {
        try whole { (reader) throws(ASN1Error) in try reader.unsignedInteger() }
    }

    mutating func integer() throws(ASN1Error) -> Int64 {
        try whole { (reader) throws(ASN1Error) in try reader.integer() }
    }

    mutating func count() throws(ASN1Error) -> UInt32 {
        guard let value = UInt32(exactly: try integer()) else {
            throw ASN1Error(.integerOutOfRange, at: range.lowerBound)
        }
        return value
    }

    mutating func flag() throws(ASN1Error) -> Bool {
        switch try integer() {
        case 0: return false
        case 1: return true
        default: throw ASN1Error(.unexpectedValue, at: range.lowerBound)
        }
    }
}
