import ReceiptASN1
import Testing

/// Hostile and unusual encodings, each with the exact fault and offset.
struct ASN1ReaderTests {
    struct Refused: Sendable, CustomStringConvertible {
        let description: String
        let bytes: [UInt8]
        let fault: ASN1Fault
        let offset: Int

        init(_ description: String, _ bytes: [UInt8], _ fault: ASN1Fault, at offset: Int) {
            self.description = description
            self.bytes = bytes
            self.fault = fault
            self.offset = offset
        }
    }

    static let refused = [
        Refused("empty input", [], .missingElement(expected: nil), at: 0),
        Refused("only an identifier", [0x04], .truncatedHeader, at: 0),
        Refused("tag number above 30", [0x1F, 0x81, 0x01, 0x00], .highTagNumber, at: 0),
        Refused("the tag of end-of-contents", [0x00, 0x00], .unexpectedEndOfContents, at: 0),
        Refused("one byte too few", [0x04, 0x03, 1, 2], .truncatedContent(length: 3, available: 2), at: 0),
        Refused("a truncated long length", [0x04, 0x82, 0x01], .truncatedHeader, at: 0),
        Refused("the reserved length", [0x04, 0xFF, 0, 0], .reservedLength, at: 0),
        Refused(
            "nine octets of length", [0x04, 0x89] + [UInt8](repeating: 0, count: 9), .lengthOverflow, at: 0),
        Refused(
            "4 GiB", [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0],
            .truncatedContent(length: 0xFFFF_FFFF, available: 1), at: 0),
        Refused(
            "Int64.max", [0x04, 0x88, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
            .truncatedContent(length: UInt64(Int64.max), available: 0), at: 0),
        Refused(
            "UInt64.max, which is -1 if signed", [0x04, 0x88] + [UInt8](repeating: 0xFF, count: 8),
            .truncatedContent(length: .max, available: 0), at: 0),
        Refused("an indefinite primitive", [0x04, 0x80, 0, 0], .indefinitePrimitive, at: 0),
        Refused(
            "an indefinite length without end-of-contents", [0x30, 0x80, 0x05, 0x00],
            .missingElement(expected: nil),
            at: 4),
        Refused("end-of-contents with a length", [0x30, 0x80, 0x00, 0x01], .unexpectedEndOfContents, at: 2),
        Refused("half of end-of-contents", [0x30, 0x80, 0x00], .truncatedHeader, at: 2),
        Refused("a byte after the element", [0x05, 0x00, 0x00], .trailingBytes, at: 2),
    ]

    @Test(arguments: refused)
    func refuses(row: Refused) {
        var reader = ASN1Reader(row.bytes.span)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.element()
            try reader.finish()
        }
        #expect(error?.fault == row.fault)
        #expect(error?.offset == row.offset)
    }

    struct Skipped: Sendable, CustomStringConvertible {
        let description: String
        let bytes: [UInt8]
        let leniencies: ASN1Leniencies
    }

    static let skipped = [
        Skipped(description: "NULL", bytes: [0x05, 0x00], leniencies: []),
        Skipped(
            description: "a length with an extra octet", bytes: [0x04, 0x81, 0x00],
            leniencies: .nonMinimalLength),
        Skipped(
            description: "a length with leading zeros", bytes: [0x04, 0x83, 0x00, 0x00, 0x01, 7],
            leniencies: .nonMinimalLength),
        Skipped(
            description: "an indefinite SEQUENCE", bytes: [0x30, 0x80, 0, 0], leniencies: .indefiniteLength),
        Skipped(
            description: "a definite length in two indefinite ones",
            bytes: [0x30, 0x80, 0x31, 0x80, 0x30, 2, 5, 0, 0, 0, 0, 0],
            leniencies: .indefiniteLength),
    ]

    @Test(arguments: skipped)
    func acceptsLenientEncodings(row: Skipped) throws {
        var reader = ASN1Reader(row.bytes.span)
        #expect(try reader.element() == row.bytes.indices)
        try reader.finish()
        #expect(reader.leniencies == row.leniencies)
    }

    // MARK: - Depth

    @Test(arguments: [true, false])
    func boundsNesting(isIndefinite: Bool) {
        let bytes = [UInt8](repeating: 0x30, count: 200_000).enumerated().map { index, byte in
            index.isMultiple(of: 2) ? byte : 0x80
        }
        var reader = ASN1Reader(bytes.span, maximumDepth: 8)
        let error = failure { () throws(ASN1Error) in
            if isIndefinite { _ = try reader.element() } else { try descend(&reader) }
        }
        #expect(error?.fault == .nestingTooDeep(limit: 8))
        #expect(error?.offset == 16)
    }

    private func descend(_ reader: inout ASN1Reader) throws(ASN1Error) {
        try reader.constructed(.sequence) { (reader) throws(ASN1Error) in try descend(&reader) }
    }

    // MARK: - Scopes

    @Test
    func scopeMustBeReadToItsEnd() {
        // SEQUENCE { NULL, NULL }, of which the closure reads only the first element.
        var reader = ASN1Reader(([0x30, 0x04, 0x05, 0x00, 0x05, 0x00] as [UInt8]).span)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.constructed(.sequence, "outer") { (reader) throws(ASN1Error) in
                try reader.primitive(.null)
            }
        }
        #expect(error == ASN1Error(.trailingBytes, at: 4, path: "outer"))
    }

    /// Checks a SEQUENCE that is one byte too short for its OCTET STRING, although the input holds the
    /// missing byte.
    @Test(arguments: [[0x03], [0x81, 0x03], [0x84, 0, 0, 0, 0x03]] as [[UInt8]])
    func elementCannotLeaveItsScope(length: [UInt8]) {
        let bytes = [0x30, UInt8(1 + length.count + 2), 0x04] + length + [1, 2, 3]
        var reader = ASN1Reader(bytes.span)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                try reader.primitive(.octetString)
            }
        }
        #expect(error == ASN1Error(.truncatedContent(length: 3, available: 2), at: 2))
    }

    @Test
    func pathNamesFieldsAndElements() {
        // SET { NULL, NULL, INTEGER }
        var reader = ASN1Reader(([0x31, 0x07, 0x05, 0x00, 0x05, 0x00, 0x02, 0x01, 0x01] as [UInt8]).span)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.constructed(.set, "signerInfos") { (reader) throws(ASN1Error) in
                try reader.elements(atMost: 5) { (reader) throws(ASN1Error) in
                    try reader.field("version") { (reader) throws(ASN1Error) in try reader.primitive(.null) }
                }
            }
        }
        #expect(
            error
                == ASN1Error(
                    .unexpectedTag(expected: .null, found: .integer), at: 6, path: "signerInfos[2].version"))
    }

    @Test
    func countsElementsBeforeReadingThem() {
        var reader = ASN1Reader(([0x31, 0x06, 0x05, 0x00, 0x05, 0x00, 0x05, 0x00] as [UInt8]).span)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.constructed(.set) { (reader) throws(ASN1Error) in
                try reader.elements(atMost: 2) { (reader) throws(ASN1Error) in try reader.element() }
            }
        }
        #expect(error == ASN1Error(.tooMany(limit: 2), at: 6))
    }

    /// Checks that the fast path accepts exactly what the reader accepts without leniency, at every input
    /// length.
    @Test(
        arguments: [
            [0x30, 0x02], [0x30, 0x7F], [0x30, 0x81, 0x80], [0x30, 0x81, 0xFF], [0x30, 0x82, 0x01, 0x00],
            [0x30, 0x82, 0xFF, 0xFF],
            // non-minimal lengths, three octets, indefinite and reserved lengths, another tag
            [0x30, 0x81, 0x02], [0x30, 0x82, 0x00, 0x80], [0x30, 0x83, 0x01, 0x00, 0x00], [0x30, 0x80],
            [0x30, 0xFF],
            [0x31, 0x02],
        ] as [[UInt8]])
    func fastPathAgreesWithTheReader(header: [UInt8]) {
        for available in [0, 1, 2, 126, 127, 128, 255, 256, 65_534, 65_535, 65_536] {
            let bytes = header + [UInt8](repeating: 0x04, count: available)
            for count in 0...min(bytes.count, header.count) { agree(Array(bytes.prefix(count))) }
            agree(bytes)
        }
    }

    /// Checks that a length cannot extend past its scope, even if the input continues.
    @Test(
        arguments: [
            // lengths of one, two and three octets, each longer than its scope
            [0x30, 0x03, 0x04, 0x02, 0x00], [0x30, 0x04, 0x04, 0x81, 0x80, 0x00],
            [0x30, 0x05, 0x04, 0x82, 0x01, 0x00, 0x00],
        ] as [[UInt8]])
    func lengthsCannotExceedTheirScope(bytes: [UInt8]) {
        let input = bytes + [UInt8](repeating: 0, count: 300)
        var reader = ASN1Reader(input.span, in: 0..<bytes.count)
        let error = failure { () throws(ASN1Error) in
            _ = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in try reader.element() }
        }
        #expect(error?.offset == 2)
        guard case .truncatedContent? = error?.fault else { return #expect(Bool(false), "\(error as Any)") }
    }

    private func agree(_ bytes: [UInt8]) {
        agree(bytes, count: bytes.count)
        agree(bytes + [UInt8](repeating: 0x04, count: 300), count: bytes.count)
    }

    private func agree(_ bytes: [UInt8], count: Int) {
        var reader = ASN1Reader(bytes.span, in: 0..<count)
        let element = try? reader.element()
        // The reader itself uses the fast path, so this test computes the expected result independently.
        let end = Self.end(of: bytes.prefix(count))
        #expect(
            bytes.span.smallContent(ofLengthAt: 1, before: count)?.upperBound == end, "\(bytes.prefix(5))")
        if let end {
            #expect(element == 0..<end, "\(bytes.prefix(5))")
            #expect(reader.leniencies.isEmpty, "\(bytes.prefix(5))")
        } else if let element, element.count < 0x10000 + 4 {
            #expect(!reader.leniencies.isEmpty, "\(bytes.prefix(5))")
        }
    }

    /// Returns the end of an element with a minimal length (X.690, 10.1) of at most three octets, or nil.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let octets = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        guard bytes[1] < 0x80 || 1...2 ~= octets, bytes.count >= 2 + octets else { return nil }
        let length = octets == 0 ? Int(bytes[1]) : bytes[2..<2 + octets].reduce(0) { $0 << 8 | Int($1) }
        let isShortest = octets == 0 || length >= (octets == 1 ? 0x80 : 0x100)
        return isShortest && length <= bytes.count - 2 - octets ? 2 + octets + length : nil
    }
}

/// Returns the error that `body` throws, or nil.
func failure(_ body: () throws(ASN1Error) -> Void) -> ASN1Error? {
    do throws(ASN1Error) {
        try body()
        return nil
    } catch {
        return error
    }
}
