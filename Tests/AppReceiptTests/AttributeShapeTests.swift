import ReceiptASN1
import Testing

@testable import AppReceipt

/// The fast path for attributes of common shapes. It must agree with the general reader or decline.
struct AttributeShapeTests {
    /// Checks every value of every octet of each shape, and each shape truncated at every position.
    @Test(
        arguments: [
            // type of one octet, type of two octets
            [0x30, 0x09, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x01, 0x05],
            [0x30, 0x0A, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, 0x01, 0x05],
            // no value
            [0x30, 0x08, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x00],
            [0x30, 0x09, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, 0x00],
            // non-minimal type of two octets
            [0x30, 0x09, 0x02, 0x02, 0x00, 0x11, 0x02, 0x01, 0x01, 0x04, 0x00],
            // type of four octets, version of two
            [0x30, 0x0D, 0x02, 0x04, 0x11, 0x11, 0x11, 0x11, 0x02, 0x02, 0x01, 0x01, 0x04, 0x01, 0x05],
            // lengths of two and three octets, and an indefinite length
            [0x30, 0x81, 0x8A, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x81, 0x81] + Self.padding(129),
            [0x30, 0x82, 0x01, 0x08, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, 0x81, 0xFD]
                + Self.padding(253),
            [0x30, 0x82, 0x01, 0x0C, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x04, 0x82, 0x01, 0x00]
                + Self.padding(256),
            [0x30, 0x80, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x01, 0x05, 0x00, 0x00],
        ] as [[UInt8]])
    func fastPathAgreesWithTheReader(shape: [UInt8]) {
        for count in 0...shape.count { agree(Array(shape.prefix(count))) }
        for index in 0..<min(shape.count, 16) {
            for octet in UInt8.min...UInt8.max {
                var changed = shape
                changed[index] = octet
                agree(changed)
                // With bytes after the attribute.
                agree(changed + [0x02, 0x01, 0x00])
            }
        }
    }

    /// Checks that the fast path respects the depth limit.
    @Test func depthIsLimited() {
        let bytes: [UInt8] = [0x30, 0x08, 0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x00]
        var reader = ASN1Reader(bytes.span, maximumDepth: 0)
        #expect(throws: ASN1Error(.nestingTooDeep(limit: 0), at: 0)) {
            _ = try ReceiptAttribute(reading: &reader, of: bytes.span)
        }
    }

    private static func padding(_ count: Int) -> [UInt8] { [UInt8](repeating: 5, count: count) }

    /// Compares both readers on `bytes` alone, and on `bytes` followed by others beyond the end of the scope.
    private func agree(_ bytes: [UInt8]) {
        agree(bytes, count: bytes.count)
        agree(bytes + [UInt8](repeating: 5, count: 300), count: bytes.count)
    }

    private func agree(_ bytes: [UInt8], count: Int) {
        var reader = ASN1Reader(bytes.span, in: 0..<count)
        var slow = ASN1Reader(bytes.span, in: 0..<count)
        let read = Result { () throws(ASN1Error) in try ReceiptAttribute(reading: &reader, of: bytes.span) }
        let expected = Result { () throws(ASN1Error) in try Self.attribute(&slow) }
        if let expected = try? expected.get() {
            let again = ReceiptAttribute(at: 0, of: bytes.span)
            #expect(again?.type == expected.0, "\(bytes)")
            #expect(again?.version == expected.1, "\(bytes)")
            #expect(again?.value == expected.2, "\(bytes)")
        }
        switch (read, expected) {
        case (.success(let read), .success(let expected)):
            #expect(read.type == expected.0, "\(bytes)")
            #expect(read.version == expected.1, "\(bytes)")
            #expect(read.value == expected.2, "\(bytes)")
            #expect(reader.position == slow.position, "\(bytes)")
            #expect(reader.leniencies == slow.leniencies, "\(bytes)")
        case (.failure(let read), .failure(let expected)): #expect(read == expected, "\(bytes)")
        default: Issue.record("\(bytes): \(read), not \(expected)")
        }
    }

    /// Reads an attribute by the grammar alone, without the fast path.
    private static func attribute(
        _ reader: inout ASN1Reader
    ) throws(ASN1Error) -> (Int64, Int64, Range<Int>) {
        try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let offset = reader.position
            let type = try reader.integer()
            guard type >= 0 else { throw ASN1Error(.integerOutOfRange, at: offset, path: "type") }
            return (type, try reader.integer(), try reader.primitive(.octetString))
        }
    }
}
