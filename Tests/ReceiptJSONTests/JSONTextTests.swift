import StrictJSON
import Testing

@testable import ReceiptJSON

/// The JSON writer's fast path for texts and numbers without escapes.
struct JSONTextTests {
    /// Checks every escaped character at every position, with text lengths around multiples of the eight
    /// bytes that the writer scans at a time.
    @Test(
        arguments: [
            ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\0", #"\u0000"#), ("\u{1F}", #"\u001f"#),
            ("\u{7F}", #"\u007f"#),
            // a C1 control, a mark that changes text direction
            ("\u{9B}", #"\u009b"#), ("\u{202E}", #"\u202e"#),
            // unescaped: the limits of printable ASCII, and text beyond it
            (" ", " "), ("~", "~"), ("é", "é"), ("日", "日"), ("\u{1F600}", "\u{1F600}"),
        ])
    func escapes(character: String, written: String) {
        for count in 0...34 {
            for index in 0...count {
                let (before, behind) = (
                    String(repeating: "a", count: index), String(repeating: "b", count: count - index)
                )
                let text = JSONWriter.text { $0.string(before + character + behind) }
                #expect(String(decoding: text, as: UTF8.self) == "\"\(before)\(written)\(behind)\"")
            }
        }
    }

    @Test func writesNumbers() {
        var numbers: [UInt64] = [0, .max]
        var power: UInt64 = 10
        for _ in 1..<20 {
            numbers += [power - 1, power, power + 1]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for number in numbers {
            #expect(JSONWriter.text { $0.number(number) } == Array("\(number)".utf8))
            #expect(JSONWriter.text { $0.quoted(number) } == Array("\"\(number)\"".utf8))
            let negative = -Int64(truncatingIfNeeded: number >> 1)
            #expect(JSONWriter.text { $0.number(negative) } == Array("\(negative)".utf8))
        }
        #expect(JSONWriter.text { $0.number(Int64.min) } == Array("\(Int64.min)".utf8))
    }

    @Test func writesBytes() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let expected = bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
                .joined()
            #expect(JSONWriter.text { $0.hex(bytes) } == Array("\"\(expected)\"".utf8))
        }
    }
}
