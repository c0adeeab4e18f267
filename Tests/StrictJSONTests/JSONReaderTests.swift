import StrictJSON
import Testing

/// Invalid or deceptive JSON, each with the exact fault, byte offset and member path.
struct JSONReaderTests {
    struct Refused: Sendable, CustomStringConvertible {
        let description: String
        let bytes: [UInt8]
        let fault: JSONFault
        let offset: Int
        let path: String

        init(
            _ description: String, _ text: String, _ fault: JSONFault, at offset: Int, in path: String = ""
        ) {
            self.init(description, Array(text.utf8), fault, at: offset, in: path)
        }

        init(
            _ description: String, _ bytes: [UInt8], _ fault: JSONFault, at offset: Int, in path: String = ""
        ) {
            self.description = description
            self.bytes = bytes
            self.fault = fault
            self.offset = offset
            self.path = path
        }
    }

    private static func unexpected(_ character: Unicode.Scalar) -> JSONFault {
        .unexpectedByte(UInt8(ascii: character))
    }

    /// Returns an object whose member `a` is a string of these bytes, which may be invalid UTF-8.
    private static func string(_ bytes: UInt8...) -> [UInt8] {
        Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
    }

    private static let structure = [
        Refused("empty input", "", .truncated, at: 0),
        Refused("only white space", " \n\t\r", .truncated, at: 4),
        Refused("a zero", "\0", .unexpectedByte(0), at: 0),
        Refused("white space that JSON does not allow", "\u{C}1", .unexpectedByte(0x0C), at: 0),
        Refused("a word", "nothing", unexpected("o"), at: 1),
        Refused("a literal cut off", "[tru", .truncated, at: 4, in: "[0]"),
        Refused("a literal in capitals", "[True]", unexpected("T"), at: 1, in: "[0]"),
        Refused("a literal with more letters", "nullx", .trailingBytes, at: 4),
        Refused("two values", "[] []", .trailingBytes, at: 3),
        Refused("a comment", "[1]// one", .trailingBytes, at: 3),
        Refused("an extra bracket", "{}}", .trailingBytes, at: 2),
        Refused("an array cut off", "[1", .truncated, at: 2, in: "[0]"),
        Refused("an array cut off behind its comma", "[1,", .truncated, at: 3, in: "[1]"),
        Refused("an array that ends in a comma", "[1,]", unexpected("]"), at: 3, in: "[1]"),
        Refused("an array that begins with a comma", "[,1]", unexpected(","), at: 1, in: "[0]"),
        Refused("two commas", "[1,,2]", unexpected(","), at: 3, in: "[1]"),
        Refused("no comma", "[1 2]", unexpected("2"), at: 3, in: "[0]"),
        Refused("a colon in an array", "[1:2]", unexpected(":"), at: 2, in: "[0]"),
        Refused("the other bracket", "[1}", unexpected("}"), at: 2, in: "[0]"),
        Refused("a truncated object", "{", .truncated, at: 1),
        Refused("an object that ends in a comma", #"{"a":1,}"#, unexpected("}"), at: 7),
        Refused("no comma between members", #"{"a":1 "b":2}"#, unexpected("\""), at: 7, in: "a"),
        Refused("no colon", #"{"a" 1}"#, unexpected("1"), at: 5, in: "a"),
        Refused("no value", #"{"a":}"#, unexpected("}"), at: 5, in: "a"),
        Refused("a name without quotes", "{a:1}", unexpected("a"), at: 1),
        Refused("a name in single quotes", "{'a':1}", unexpected("'"), at: 1),
        Refused("a number for a name", "{1:1}", unexpected("1"), at: 1),
        Refused("the other bracket of an object", #"{"a":1]"#, unexpected("]"), at: 6, in: "a"),
        Refused(
            "deep inside", #"{"a":[{},{"b":[0,{"c":x}]}]}"#, unexpected("x"), at: 22, in: "a[1].b[1].c"),
        Refused("a name that was escaped", #"{"\u0061\n":x}"#, unexpected("x"), at: 12, in: "a\n"),
    ]

    private static let marks = [
        Refused("a byte order mark", [0xEF, 0xBB, 0xBF, 0x31], .byteOrderMark, at: 0),
        Refused("half a byte order mark", [0xEF, 0xBB], .unexpectedByte(0xEF), at: 0),
        Refused("a byte order mark after the start", [0x20, 0xEF, 0xBB, 0xBF], .unexpectedByte(0xEF), at: 1),
        Refused("UTF-16", [0xFE, 0xFF, 0x00, 0x31], .unexpectedByte(0xFE), at: 0),
        Refused("UTF-16 without a mark", [0x00, 0x31], .unexpectedByte(0), at: 0),
        Refused("a space that is not ASCII", "[1\u{A0}]", .unexpectedByte(0xC2), at: 2, in: "[0]"),
    ]

    private static let duplicates = [
        Refused("a name twice", #"{"a":1,"a":1}"#, .duplicateMember, at: 7, in: "a"),
        Refused("a name twice, once escaped", #"{"a":1,"\u0061":1}"#, .duplicateMember, at: 7, in: "a"),
        Refused("an empty name twice", #"{"":1,"":1}"#, .duplicateMember, at: 6),
        Refused(
            "a name twice, further in", #"[{"b":{"a":1,"a":2}}]"#, .duplicateMember, at: 13, in: "[0].b.a"),
        Refused(
            "a name twice, with an object between", #"{"a":{"a":{},"b":1},"b":0,"a":1}"#, .duplicateMember,
            at: 26, in: "a"),
        Refused("a slash twice, once escaped", #"{"/":1,"\/":1}"#, .duplicateMember, at: 7, in: "/"),
        Refused(
            "a character twice, once as a pair of escapes", #"{"😀":1,"\ud83d\ude00":1}"#, .duplicateMember,
            at: 10, in: "😀"),
        Refused(
            "a long name", "{\"\(String(repeating: "n", count: 1025))\":1}", .tooLong(limit: 1024), at: 1),
        Refused(
            "a longer name", "{\"\(String(repeating: "n", count: 6145))\":1}",
            .tooLong(limit: 1024), at: 1),
    ]

    private static let numbers = [
        Refused("a plus", "[+1]", unexpected("+"), at: 1, in: "[0]"),
        Refused("a minus alone", "[-]", unexpected("]"), at: 2, in: "[0]"),
        Refused("two minuses", "--1", unexpected("-"), at: 1),
        Refused("a leading zero", "[012]", unexpected("1"), at: 2, in: "[0]"),
        Refused("a negative leading zero", "-00", unexpected("0"), at: 2),
        Refused("no digit before the point", "[.5]", unexpected("."), at: 1, in: "[0]"),
        Refused("no digit behind the point", "[5.]", unexpected("]"), at: 3, in: "[0]"),
        Refused("a point and an exponent", "5.e1", unexpected("e"), at: 2),
        Refused("an exponent without digits", "[1e]", unexpected("]"), at: 3, in: "[0]"),
        Refused("a truncated exponent", "1E+", .truncated, at: 3),
        Refused("two signs of an exponent", "1e+-1", unexpected("-"), at: 3),
        Refused("two points", "1.2.3", .trailingBytes, at: 3),
        Refused("hexadecimal", "0x10", .trailingBytes, at: 1),
        Refused("infinity", "-Infinity", unexpected("I"), at: 1),
        Refused("no number", "NaN", unexpected("N"), at: 0),
        Refused("digits that are not ASCII", "[１]", .unexpectedByte(0xEF), at: 1, in: "[0]"),
    ]

    private static let strings = [
        Refused("no closing quote", #"{"a":"b"#, .truncated, at: 7, in: "a"),
        Refused("a name without closing quotation mark", #"{"a"#, .truncated, at: 3),
        Refused("nothing behind the backslash", #"["\"#, .truncated, at: 3, in: "[0]"),
        Refused("an escaped quote at the end", #"["\""#, .truncated, at: 4, in: "[0]"),
        Refused("an escape of JavaScript", #"["\x41"]"#, .invalidEscape, at: 2, in: "[0]"),
        Refused("an escape in capitals", #"["\N"]"#, .invalidEscape, at: 2, in: "[0]"),
        Refused("an escape of three digits", #"["abcdefgh\u004"]"#, .invalidEscape, at: 10, in: "[0]"),
        Refused("an escape cut off", #"["\u00"#, .truncated, at: 6, in: "[0]"),
        Refused("an escape with a sign", #"["\u+041"]"#, .invalidEscape, at: 2, in: "[0]"),
        Refused("a high surrogate alone", #"["\ud83d"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("a low surrogate alone", #"["\ude00"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("two high surrogates", #"["\ud83d\ud83d"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("surrogates the wrong way round", #"["\ude00\ud83d"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("a high surrogate before a letter", #"["\ud83dA"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("a high surrogate before half an escape", #"["\ud83d\u"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("a high surrogate before another escape", #"["\ud83d\n"]"#, .loneSurrogate, at: 2, in: "[0]"),
        Refused("a line end", "[\"abcdefghi\n\"]", .controlCharacter, at: 11, in: "[0]"),
        Refused("a tab", "[\"\t\"]", .controlCharacter, at: 2, in: "[0]"),
        Refused("a zero in a string", "[\"a\0\"]", .controlCharacter, at: 3, in: "[0]"),
        Refused("the last control character", "[\"\u{1F}\"]", .controlCharacter, at: 2, in: "[0]"),
        Refused("a control character in a name", "{\"\u{1}\":1}", .controlCharacter, at: 2),
    ]

    private static let utf8 = [
        Refused("a lone continuation byte", string(0x80), .invalidUTF8, at: 6, in: "a"),
        Refused("Latin-1", string(0x61, 0xE9), .invalidUTF8, at: 7, in: "a"),
        Refused("an overlong slash", string(0xC0, 0xAF), .invalidUTF8, at: 6, in: "a"),
        Refused("an overlong letter", string(0xC1, 0x81), .invalidUTF8, at: 6, in: "a"),
        Refused(
            "an overlong encoding of three bytes", string(0xE0, 0x9F, 0xBF), .invalidUTF8, at: 6, in: "a"),
        Refused(
            "an overlong encoding of four bytes", string(0xF0, 0x8F, 0xBF, 0xBF), .invalidUTF8, at: 6, in: "a"
        ),
        Refused("a surrogate in UTF-8", string(0xED, 0xA0, 0x80), .invalidUTF8, at: 6, in: "a"),
        Refused("a scalar above U+10FFFF", string(0xF4, 0x90, 0x80, 0x80), .invalidUTF8, at: 6, in: "a"),
        Refused(
            "a lead byte that leads nothing", string(0xF5, 0x80, 0x80, 0x80), .invalidUTF8, at: 6, in: "a"),
        Refused("0xFF", string(0xFF), .invalidUTF8, at: 6, in: "a"),
        Refused(
            "a character truncated by the quotation mark", string(0xE2, 0x82), .invalidUTF8, at: 6, in: "a"),
        Refused(
            "a character whose third byte is none", string(0xE2, 0x82, 0x41), .invalidUTF8, at: 6, in: "a"),
        Refused("a character cut off by the end", [0x22, 0xF0, 0x9F, 0x98], .invalidUTF8, at: 1),
        Refused("a name in Latin-1", [0x7B, 0x22, 0xE9, 0x22], .invalidUTF8, at: 2),
    ]

    private static let depths = [
        Refused(
            "65 arrays", String(repeating: "[", count: 65), .nestingTooDeep(limit: 64), at: 64,
            in: String(repeating: "[0]", count: 64)),
        Refused(
            "a million arrays", String(repeating: "[", count: 1_000_000), .nestingTooDeep(limit: 64), at: 64,
            in: String(repeating: "[0]", count: 64)),
        Refused(
            "65 objects", String(repeating: #"{"":"#, count: 65), .nestingTooDeep(limit: 64), at: 256),
    ]

    /// Checks that skipping and reading report the same error.
    @Test(arguments: structure + marks + duplicates + numbers + strings + utf8 + depths)
    func refuses(row: Refused) {
        let expected = JSONError(row.fault, at: row.offset, path: row.path)
        for (step, read) in [("skip", skipAll), ("read", readAll)] {
            #expect(failure { () throws(JSONError) in try read(row.bytes) } == expected, "\(step)")
        }
    }

    /// Checks that valid JSON with unusual syntax is accepted.
    @Test(arguments: [
        "{}", "[]", " [ ] ", "\t{\r\n} ", "null", "true", "false", "0", "-0", "-0.0e-0", "1E400",
        "1e-999999999",
        String(repeating: "9", count: 10_000), #""""#, #""\u0000""#, #""\uDBFF\uDFFF""#,
        #""\"\\\/\b\f\n\r\t""#,
        "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"", #"{"a":{"a":{"a":1}},"b":{"a":1}}"#,
        #"{"é":1,"e\#u{301}":2}"#, #"{"K":1,"\#u{212A}":2}"#, "[[[],{}],[]]",
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        "{\"\(String(repeating: "n", count: 1024))\":1}",
    ])
    func accepts(text: String) {
        for read in [skipAll, readAll] {
            #expect(failure { () throws(JSONError) in try read(Array(text.utf8)) } == nil)
        }
    }

    @Test func byteOrderMarkIsSkippedOnRequest() throws {
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF, 0x31, 0x78]
        var reader = JSONReader(bytes.span, skipsByteOrderMark: true)
        #expect(try reader.integer(Int.self) == 1)
        let error = failure { () throws(JSONError) in try reader.end() }
        #expect(error == JSONError(.trailingBytes, at: 4))
    }
}

/// Returns the error that `step` throws, or nil.
func failure(_ step: () throws(JSONError) -> Void) -> JSONError? {
    do throws(JSONError) {
        try step()
        return nil
    } catch {
        return error
    }
}

private func skipAll(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes.span)
    try reader.skip()
    try reader.end()
}

private func readAll(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes.span)
    try reader.readValue()
    try reader.end()
}

extension JSONReader {
    /// Reads a value and everything in it with the closure-based methods.
    fileprivate mutating func readValue() throws(JSONError) {
        switch try peek() {
        case .object: try object { (reader, _) throws(JSONError) in try reader.readValue() }
        case .array: try array { (reader, _) throws(JSONError) in try reader.readValue() }
        case .string: _ = try string(atMost: .max)
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: _ = try null()
        }
    }
}
