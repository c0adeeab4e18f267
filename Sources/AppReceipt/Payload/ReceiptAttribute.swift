import ReceiptASN1

// ReceiptAttribute ::= SEQUENCE {
//     type    INTEGER,
//     version INTEGER,
//     value   OCTET STRING }
//
// The same structure carries the app's attributes and those of an in-app purchase. The value is primitive.

/// One attribute, its value not looked at.
package struct ReceiptAttribute {
    package let type: Int64
    package let version: Int64
    package let value: Range<Int>

    @inline(__always)
    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        if let content = reader.nextSmallSequence, let attribute = ReceiptAttribute(small: content, of: bytes)
        {
            reader.skip(to: content.upperBound)
            self = attribute
        } else {
            try self.init(anyShape: &reader)
        }
    }

    /// The usual shape in one go: a type of one or two octets, a version of one, a value below 64 KiB,
    /// lengths as in DER. Nil for every other shape, good or bad, which the reader then judges.
    @inline(__always)
    private init?(small content: Range<Int>, of bytes: Span<UInt8>) {
        let start = content.lowerBound
        // Three bytes of type, three of version, two of the value's header.
        guard content.count >= 8, bytes[start] == ASN1Tag.integer.rawValue, bytes[start &+ 2] < 0x80 else {
            return nil
        }
        let typeCount = Int(bytes[start &+ 1])
        // Places in a receipt are far below the end of Int: sums of them need no check for overflow.
        let version = start &+ 2 &+ typeCount
        guard typeCount == 1 || typeCount == 2 && bytes[start &+ 2] != 0, content.count >= 7 &+ typeCount,
            bytes[version] == ASN1Tag.integer.rawValue, bytes[version &+ 1] == 1, bytes[version &+ 2] < 0x80,
            bytes[version &+ 3] == ASN1Tag.octetString.rawValue,
            let value = bytes.smallContent(ofLengthAt: version &+ 4, before: content.upperBound),
            value.upperBound == content.upperBound
        else { return nil }
        let first = Int64(bytes[start &+ 2])
        type = typeCount == 1 ? first : first << 8 | Int64(bytes[start &+ 3])
        self.version = Int64(bytes[version &+ 2])
        self.value = value
    }

    @inline(never)
    private init(anyShape reader: inout ASN1Reader) throws(ASN1Error) {
        self = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let offset = reader.position
            let type = try reader.integer()
            guard type >= 0 else { throw ASN1Error(.integerOutOfRange, at: offset, path: "type") }
            return ReceiptAttribute(
                type: type, version: try reader.integer(), value: try reader.primitive(.octetString))
        }
    }

    private init(type: Int64, version: Int64, value: Range<Int>) {
        self.type = type
        self.version = version
        self.value = value
    }
}
