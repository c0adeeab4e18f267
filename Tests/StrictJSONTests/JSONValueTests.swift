import StrictJSON
import Testing

/// Values are read exactly. Unknown members are kept unchanged.
struct JSONValueTests {
    private func reading<Value>(
        _ text: String, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        let value = try read(&reader)
        try reader.end()
        return value
    }

    @Test(arguments: [
        // JavaScript rounds integers above 2⁵³.
        ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", Int64.max),
        ("-9223372036854775808", .min), ("0", 0), ("-0", 0), ("1735689600000", 1_735_689_600_000),
    ])
    func integersAreExact(text: String, value: Int64) throws {
        #expect(try reading(text) { (reader) throws(JSONError) in try reader.integer(Int64.self) } == value)
        #expect(try reading(text) { (reader) throws(JSONError) in try reader.number() } == text)
    }

    @Test func unsignedIntegersHave64Bits() throws {
        let text = "18446744073709551615"
        #expect(try reading(text) { (reader) throws(JSONError) in try reader.integer(UInt64.self) } == .max)
    }

    @Test(arguments: [
        // text, fault when it is read as an integer
        ("9223372036854775808", JSONFault.integerOutOfRange),
        ("-9223372036854775809", .integerOutOfRange),
        (String(repeating: "9", count: 100_000), .integerOutOfRange),
        ("1.0", .notAnInteger), ("1e3", .notAnInteger), ("0.0", .notAnInteger), ("-1E0", .notAnInteger),
        ("\"1\"", .unexpectedKind(expected: .number, found: .string)),
        ("null", .unexpectedKind(expected: .number, found: .null)),
    ])
    func otherNumbersAreNotIntegers(text: String, fault: JSONFault) {
        let error = failure { () throws(JSONError) in
            try reading("[1,\(text)]") { (reader) throws(JSONError) in
                try reader.array { (reader, _) throws(JSONError) in _ = try reader.integer(Int64.self) }
            }
        }
        #expect(error == JSONError(fault, at: 3, path: "[1]"))
    }

    @Test(arguments: [
        // text between the quotes, string value
        ("", ""), (#"\u0041\u00e9\u20AC\ud83d\ude00"#, "Aé€😀"),
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
        (
            "plain text of more than eight bytes, and é at the end",
            "plain text of more than eight bytes, and é at the end"
        ),
        (#"\u0000"#, "\0"), ("12345678\\n12345678", "12345678\n12345678"),
    ])
    func strings(text: String, value: String) throws {
        let read = try reading("\"\(text)\"") { (reader) throws(JSONError) in try reader.string() }
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test func longStringsAreRefusedAtTheirStart() throws {
        let error = failure { () throws(JSONError) in
            _ = try reading(#"   "ééé""#) { (reader) throws(JSONError) in try reader.string(atMost: 5) }
        }
        #expect(error == JSONError(.tooLong(limit: 5), at: 3))
        #expect(
            try reading(#""ééé""#) { (reader) throws(JSONError) in try reader.string(atMost: 6) } == "ééé")
    }

    /// Checks that unknown members keep their exact bytes: every digit of a number, and escapes in nested
    /// names.
    @Test func unknownMembersAreUnchanged() throws {
        let values = [
            #"{ "n" : 1.10 , "\u0061":[ ] }"#, "12345678901234567890.0", #""\/""#, "null", "[[1, 2], {}]",
            "true",
        ]
        let text = "{" + values.enumerated().map { "\"m\($0)\" : \($1) " }.joined(separator: ",") + "}"
        let bytes = Array(text.utf8)
        var kept: [String] = []
        var reader = JSONReader(bytes.span)
        try reader.object { (reader, name) throws(JSONError) in
            kept.append(name + String(decoding: bytes[try reader.slice()], as: UTF8.self))
        }
        #expect(kept == values.enumerated().map { "m\($0)\($1)" })
    }

    /// Checks that an error of the caller names the offset of the value, even after the value was read.
    @Test func callersErrorNamesTheValuesOffset() {
        let text = #" { "a" : [ 1 , {"b": 2} ] } "#
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        var places: [JSONError] = []
        let error = failure { () throws(JSONError) in
            try reader.object { (reader, _) throws(JSONError) in
                places.append(reader.error(.empty))
                try reader.array { (reader, _) throws(JSONError) in
                    places.append(reader.error(.empty))
                    try reader.skip()
                    places.append(reader.error(.empty))
                }
                places.append(reader.error(.empty))
            }
            places.append(reader.error(.empty))
        }
        #expect(error == nil)
        #expect(places.map(\.offset) == [9, 11, 11, 15, 15, 9, 1])
        #expect(places.map(\.path) == ["a", "a[0]", "a[0]", "a[1]", "a[1]", "a", ""])
    }

    @Test func faultIsDescribed() {
        let error = JSONError(.unexpectedByte(0x78), at: 7, path: "groups.x[3]")
        #expect(error.description == "groups.x[3] (byte 7): not JSON: unexpected 'x'")
        #expect(JSONError(.missing("id"), at: 0).description == "at byte 0: missing id")
    }
}
