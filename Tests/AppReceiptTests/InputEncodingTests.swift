import AppReceipt
import Testing

struct InputEncodingTests {
    /// 30 04 FB FF FE 3E, whose base64 contains both characters that differ between the alphabets and needs
    /// no padding.
    static let der: [UInt8] = [0x30, 0x04, 0xFB, 0xFF, 0xFE, 0x3E]

    private static func answer(
        _ decode: () throws(ReceiptError) -> (der: [UInt8], encoding: InputEncoding)
    ) -> String {
        do throws(ReceiptError) {
            let (der, encoding) = try decode()
            return "\(encoding) \(der)"
        } catch { return "\(error)" }
    }

    /// Checks that a span decodes like an array.
    @Test
    func decodesSpans() throws {
        var small = ReceiptLimits()
        small.inputBytes = 4
        for text in ["MAQBAgMEBQ==", "0\u{1}\u{2}", "", "0\u{1}\u{2}\u{3}\u{4}"] {
            let bytes = Array(text.utf8)
            for limits in [ReceiptLimits(), small] {
                let own = Self.answer { () throws(ReceiptError) in
                    try InputEncoding.decode(bytes, limits: limits)
                }
                let among = Self.answer { () throws(ReceiptError) in
                    try InputEncoding.decode(bytes.span, limits: limits)
                }
                #expect(own == among)
            }
        }
    }

    @Test(arguments: [
        ("MAT7//4+", InputEncoding.base64),
        ("MAT7__4-", .base64URL),
        // lines of any length and line ending, indented, with trailing blanks
        ("MAT7\n//4+\n", .base64), ("MAT7\r\n//4+\r\n", .base64), ("MAT7\r//4+", .base64),
        ("M\nAT7//4\n+", .base64),
        ("  MAT7\n\t//4+ \t\n\n", .base64),
        // a byte order mark
        ("\u{FEFF}MAT7//4+", .base64),
        // PEM, with any label
        ("-----BEGIN PKCS7-----\nMAT7\n//4+\n-----END PKCS7-----\n", .pem),
        ("\n-----BEGIN APP STORE RECEIPT-----\r\nMAT7//4+\r\n-----END APP STORE RECEIPT-----", .pem),
    ])
    func decodes(text: String, encoding: InputEncoding) throws {
        let decoded = try InputEncoding.decode(Array(text.utf8))
        #expect(decoded.der == Self.der)
        #expect(decoded.encoding == encoding)
    }

    @Test(
        arguments: [
            // 4 and 5 bytes: two characters and one character of padding, present or absent
            ("MAQBAg==", [0x30, 4, 1, 2]), ("MAQBAg", [0x30, 4, 1, 2]),
            ("MAQBAgM=", [0x30, 4, 1, 2, 3]), ("MAQBAgM", [0x30, 4, 1, 2, 3]),
            ("MAQBAgM\n=\n", [0x30, 4, 1, 2, 3]),
        ] as [(String, [UInt8])])
    func decodesPadding(text: String, bytes: [UInt8]) throws {
        #expect(try InputEncoding.decode(Array(text.utf8)).der == bytes)
    }

    @Test(
        arguments: [
            ("", .empty, 0), (" \r\n ", .empty, 0),
            // a plus sign lost in transport
            ("MAT7//4 A", .blank, 8), ("MAT7 //4+", .blank, 5),
            ("MAT7//4-", .mixedAlphabets, 7),
            // escapes, quotes, other formats
            ("MAT7\\/\\/4+", .unexpectedByte(0x5C), 4), ("\"MAT7\"", .unexpectedByte(0x22), 0),
            ("MAT7%2F%2F4%2B", .unexpectedByte(0x25), 4), ("eyJh.eyJi.c2ln", .unexpectedByte(0x2E), 4),
            ("data:;base64,MAT7", .unexpectedByte(0x3A), 4), ("MAT7\0", .unexpectedByte(0), 4),
            // truncated: one extra character, or nonzero unused bits
            ("MAT7/", .incomplete, 5), ("MAQBAh", .incomplete, 6), ("MAQBAgN", .incomplete, 7),
            // padding too early, too long or too short, or with characters after it
            ("=", .padding, 0), ("M=", .padding, 1), ("MAQBAg===", .padding, 8), ("MAQBAg=", .padding, 7),
            ("MAQBAgM==", .padding, 8), ("MAT7//4+=", .padding, 8), ("MAQBAg==MAQBAg==", .padding, 8),
            // PEM boundaries that do not match
            ("-----BEGIN A-----\nMAT7//4+\n-----END B-----", .pemBoundary, 0),
            ("-----BEGIN A-----\nMAT7//4+\n", .pemBoundary, 0), ("-----BEGIN A-----", .pemBoundary, 0),
            ("-----BEGIN -----END -----", .pemBoundary, 0), ("-----", .pemBoundary, 0),
            ("-----BEGIN A-----\n-----END ", .pemBoundary, 0),
            ("-----BEGIN -----\n-----END", .pemBoundary, 0),
        ] as [(String, InputEncoding.Fault, Int)])
    func refuses(text: String, fault: InputEncoding.Fault, offset: Int) {
        let error = #expect(throws: ReceiptError.self) { try InputEncoding.decode(Array(text.utf8)) }
        #expect(error?.reason == .text(fault))
        #expect(error?.offset == offset)
        #expect(error?.code == .malformed)
    }

    /// Checks that base64 of base64 is decoded only once.
    @Test
    func decodesOnce() throws {
        let twice = Array("TUFUNy8vNCs=".utf8)
        #expect(try InputEncoding.decode(twice).der == Array("MAT7//4+".utf8))
        let error = #expect(throws: ReceiptError.self) { try ReceiptVerifier().verify(twice, for: .any) }
        #expect(error?.code == .malformed)
    }

    @Test
    func limitsInput() throws {
        var limits = ReceiptLimits()
        limits.inputBytes = 6
        #expect(try InputEncoding.decode(Self.der, limits: limits).der == Self.der)
        for input in [Self.der + [0], Array("MAT7//4+MAT7".utf8), [UInt8](repeating: 0x0A, count: 10)] {
            let error = #expect(throws: ReceiptError.self) { try InputEncoding.decode(input, limits: limits) }
            #expect(error?.code == .tooLarge)
        }
    }
}
