import ReceiptASN1
import Testing

struct ASN1ValueTests {
    struct IntegerRow: Sendable, CustomStringConvertible {
        let content: [UInt8]
        let signed: Result<Int64, ASN1Error>
        let unsigned: Result<UInt64, ASN1Error>
        var leniencies: ASN1Leniencies = []
        var description: String { "\(content)" }
    }

    static let outOfRange = ASN1Error(.integerOutOfRange, at: 0)

    static let integers = [
        // Empty content.
        IntegerRow(
            content: [], signed: .failure(ASN1Error(.emptyInteger, at: 0)),
            unsigned: .failure(ASN1Error(.emptyInteger, at: 0))),
        IntegerRow(content: [0], signed: .success(0), unsigned: .success(0)),
        IntegerRow(content: [0x7F], signed: .success(127), unsigned: .success(127)),
        // Negative.
        IntegerRow(content: [0xFE], signed: .success(-2), unsigned: .failure(outOfRange)),
        IntegerRow(content: [0x00, 0x80], signed: .success(128), unsigned: .success(128)),
        // Redundant leading octets, positive and negative.
        IntegerRow(
            content: [0x00, 0x05], signed: .success(5), unsigned: .success(5), leniencies: .nonMinimalInteger),
        IntegerRow(
            content: [0xFF, 0xFE], signed: .success(-2), unsigned: .failure(outOfRange),
            leniencies: .nonMinimalInteger),
        // The limits of Int64.
        IntegerRow(
            content: [0x7F] + [UInt8](repeating: 0xFF, count: 7), signed: .success(.max),
            unsigned: .success(UInt64(Int64.max))),
        IntegerRow(
            content: [0x80] + [UInt8](repeating: 0, count: 7), signed: .success(.min),
            unsigned: .failure(outOfRange)),
        // The maximum of UInt64, which needs a ninth octet.
        IntegerRow(
            content: [0x00] + [UInt8](repeating: 0xFF, count: 8), signed: .failure(outOfRange),
            unsigned: .success(.max)),
        // 2^64 + 2, which wraps to 2.
        IntegerRow(
            content: [0x01] + [UInt8](repeating: 0, count: 7) + [2], signed: .failure(outOfRange),
            unsigned: .failure(outOfRange)),
        // 2, with eight redundant octets.
        IntegerRow(
            content: [UInt8](repeating: 0, count: 9) + [2], signed: .failure(outOfRange),
            unsigned: .failure(outOfRange)),
    ]

    @Test(arguments: integers)
    func readsIntegers(row: IntegerRow) {
        let bytes = [0x02, UInt8(row.content.count)] + row.content
        var reader = ASN1Reader(bytes.span)
        #expect(Result { () throws(ASN1Error) in try reader.integer() } == row.signed)
        if case .success = row.signed { #expect(reader.leniencies == row.leniencies) }
        reader = ASN1Reader(bytes.span)
        #expect(Result { () throws(ASN1Error) in try reader.unsignedInteger() } == row.unsigned)
    }

    @Test(
        arguments: [
            // ASCII, both types
            (0x0C, Array("com.example".utf8), true),
            (0x16, Array("2024-06-01T10:00:00Z".utf8), true),
            (0x0C, [], true),
            // UTF-8 beyond ASCII is valid in a UTF8String only
            (0x0C, Array("naïve".utf8), true),
            (0x16, Array("naïve".utf8), false),
            // NUL is valid
            (0x0C, [0x61, 0x00, 0x62], true),
            // a lone continuation byte, an overlong slash, a surrogate, a truncated sequence
            (0x0C, [0x80], false),
            (0x0C, [0xC0, 0xAF], false),
            (0x0C, [0xED, 0xA0, 0x80], false),
            (0x0C, [0xE2, 0x82], false),
            // another string type
            (0x13, Array("Printable".utf8), false),
        ] as [(UInt8, [UInt8], Bool)])
    func readsText(tag: UInt8, content: [UInt8], isText: Bool) {
        let bytes = [tag, UInt8(content.count)] + content
        var reader = ASN1Reader(bytes.span)
        let result = Result { () throws(ASN1Error) in try reader.text() }
        #expect((try? result.get()) == (isText ? 2..<bytes.count : nil))
    }

    // MARK: - OCTET STRING

    /// Checks chunks of 0, 2, 0 and 1 bytes in an indefinite length: the joined string and the offset of each
    /// byte.
    @Test
    func joinsChunks() throws {
        let bytes: [UInt8] = [0x24, 0x80, 0x04, 0, 0x04, 2, 7, 8, 0x04, 0, 0x04, 1, 9, 0, 0]
        var reader = ASN1Reader(bytes.span)
        let string = try reader.octetString()
        try reader.finish()
        #expect(string.count == 3)
        #expect(string.bytes(of: bytes.span) == [7, 8, 9])
        #expect((0...3).map { string.offset(ofByte: $0, in: bytes.span) } == [6, 7, 12, 13])
        #expect(reader.leniencies == [.indefiniteLength, .constructedOctetString])
    }

    @Test
    func keepsWholeStringInPlace() throws {
        let bytes: [UInt8] = [0x04, 2, 7, 8]
        var reader = ASN1Reader(bytes.span)
        let string = try reader.octetString()
        #expect(string.content == 2..<4)
        #expect(string.bytes(of: bytes.span) == [7, 8])
        #expect(string.offset(ofByte: 1, in: bytes.span) == 3)
        #expect(reader.leniencies.isEmpty)
    }

    @Test(
        arguments: [
            // a constructed chunk
            ([0x24, 0x04, 0x24, 0x02, 0x04, 0x00], 2),
            // a chunk of another type
            ([0x24, 0x02, 0x05, 0x00], 2),
        ] as [([UInt8], Int)])
    func refusesOtherChunks(bytes: [UInt8], offset: Int) {
        var reader = ASN1Reader(bytes.span)
        let error = failure { () throws(ASN1Error) in _ = try reader.octetString() }
        #expect(error?.offset == offset)
    }

    /// Checks that a mebibyte of empty chunks is read in one pass.
    @Test
    func survivesEmptyChunks() throws {
        let chunks = 1 << 19
        let length = chunks * 2
        var bytes: [UInt8] = [
            0x24, 0x83, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF),
        ]
        for _ in 0..<chunks { bytes += [0x04, 0x00] }
        var reader = ASN1Reader(bytes.span)
        #expect(try reader.octetString().bytes(of: bytes.span).isEmpty)
    }
}
