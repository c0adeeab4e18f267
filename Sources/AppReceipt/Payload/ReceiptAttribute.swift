import ReceiptASN1

// ReceiptAttribute ::= SEQUENCE {
//     type    INTEGER,
//     version INTEGER,
//     value   OCTET STRING }
//
// The attributes of the app and of in-app purchases have the same structure. The value is primitive.

/// An attribute whose value was not read.
package struct ReceiptAttribute {
    package let type: Int64
    package let version: Int64
    package let value: Range<Int>
}

extension ReceiptAttribute {
    @inline(__always)
    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        let octets = reader.unreadOctets
        if let (attribute, end) = Self.short(in: octets, of: bytes) ?? Self.usual(in: octets, of: bytes) {
            reader.skip(to: end)
            self = attribute
        } else {
            try self.init(anyShape: &reader)
        }
    }

    /// Reads the attribute at an offset. Returns nil if there is none.
    init?(at offset: Int, of bytes: Span<UInt8>) {
        let octets = offset..<bytes.count
        if let (attribute, _) = Self.short(in: octets, of: bytes) ?? Self.usual(in: octets, of: bytes) {
            self = attribute
            return
        }
        var reader = ASN1Reader(bytes, in: octets)
        guard let attribute = try? ReceiptAttribute(anyShape: &reader) else { return nil }
        self = attribute
    }

    /// Reads an attribute in the usual form with less than 128 octets of content. Nearly all attributes are
    /// like this.
    /// - Returns: the attribute and the offset of its end, or nil for every other form.
    @inline(__always)
    private static func short(in octets: Range<Int>, of bytes: Span<UInt8>) -> (ReceiptAttribute, end: Int)? {
        let start = octets.lowerBound &+ 2
        guard octets.count >= 10, bytes[start &- 2] == ASN1Tag.sequence.rawValue else { return nil }
        let count = Int(bytes[start &- 1])
        guard count >= 8, count < 0x80, count <= octets.count &- 2 else { return nil }
        let end = start &+ count
        guard let (type, version, length) = head(at: start, of: bytes), length < end,
            Int(bytes[length]) == end &- length &- 1
        else { return nil }
        return (ReceiptAttribute(type: type, version: version, value: length &+ 1..<end), end)
    }

    /// Reads an attribute in the usual form. It has a type of one or two octets and a version of one octet.
    /// The value is below 64 KiB, and the lengths are DER.
    /// - Returns: the attribute and the offset of its end. Nil for every other form, valid or not. The
    ///   general reader then checks it.
    @inline(never)
    private static func usual(in octets: Range<Int>, of bytes: Span<UInt8>) -> (ReceiptAttribute, end: Int)? {
        guard let first = octets.first, bytes[first] == ASN1Tag.sequence.rawValue,
            let content = bytes.smallContent(ofLengthAt: first &+ 1, before: octets.upperBound),
            content.count >= 8, let (type, version, length) = head(at: content.lowerBound, of: bytes),
            let value = bytes.smallContent(ofLengthAt: length, before: content.upperBound),
            value.upperBound == content.upperBound
        else { return nil }
        return (ReceiptAttribute(type: type, version: version, value: value), value.upperBound)
    }

    /// Reads the part before the value's length, in the usual form.
    /// - Parameter start: an offset that at least eight octets follow.
    @inline(__always)
    private static func head(
        at start: Int, of bytes: Span<UInt8>
    ) -> (type: Int64, version: Int64, length: Int)? {
        // The first octet is the most significant one. The sign bit of a number below 0x80 is clear.
        let octets = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian
        // INTEGER 2 tt tt without a leading zero, INTEGER 1 vv, OCTET STRING
        if octets & 0xFFFF_8000_FFFF_80FF == 0x0202_0000_0201_0004, octets & 0x7F00_0000_0000 != 0 {
            return (Int64(octets >> 32 & 0xFFFF), Int64(octets >> 8 & 0xFF), start &+ 8)
        }
        // INTEGER 1 tt, INTEGER 1 vv, OCTET STRING, and its length
        if octets & 0xFFFF_80FF_FF80_FF00 == 0x0201_0002_0100_0400 {
            return (Int64(octets >> 40 & 0xFF), Int64(octets >> 16 & 0xFF), start &+ 7)
        }
        return nil
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
}
