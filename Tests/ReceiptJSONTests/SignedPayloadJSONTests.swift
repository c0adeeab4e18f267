import AppReceipt
import ReceiptForge
import ReceiptJSON
import Testing

/// What was signed stands in the contract's line as it was signed, on one line, and steers no terminal.
struct SignedPayloadJSONTests {
    private static let authority = Result {
        try Authority.test { (profiles) throws(ForgeError) in profiles.leaf.key = try .generateEC(.p256) }
    }

    @Test(arguments: [
        // As it stands, however long: eight bytes at a time and one by one.
        (#""""#, #""""#),
        (#""1234567""#, #""1234567""#),
        (#""12345678 0""#, #""12345678 0""#),
        (#""é, 日本語 and 12345678 more""#, #""é, 日本語 and 12345678 more""#),
        // Escapes are not resolved; a quote behind one ends nothing.
        (#""a \" b \\""#, #""a \" b \\""#),
        (#""A\/\n""#, #""A\/\n""#),
        // White space between tokens goes, that of texts stays.
        ("[ 1 ,\t-2.5e3 ,\r\n{ \"a b\" : [ ] } ]", #"[1,-2.5e3,{"a b":[]}]"#),
        // DEL, a control of the other range, and what turns the order of characters.
        ("\"a\u{7F}b\"", #""a\u007fb""#),
        ("\"12345678\u{9B}31m\"", #""12345678\u009b31m""#),
        ("\"\u{202E}gpj.exe\"", #""\u202egpj.exe""#),
        ("{ \"\u{2066}\" : \"\u{61C}\" }", #"{"\u2066":"\u061c"}"#),
    ])
    func payloadIsAsSigned(value: String, expected: String) throws {
        var payload = JSONMembers.transaction
        payload["memo"] = value
        let text = try JWSRecipe(payload, authority: Self.authority.get()).forge()
        let verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
        var lines: [String] = []
        Examiner(verifier, demands: Demands(.anyApp)).examine(anything: Array(text.utf8)) {
            var json = JSONWriter()
            json.verification($0, of: "-")
            lines.append(String(decoding: json.bytes, as: UTF8.self))
        }
        #expect(lines.count == 1 && lines[0].contains(#""status":"genuine""#))
        #expect(lines[0].contains(#""memo":\#(expected)"#), "\(lines)")
        #expect(!lines[0].contains("\n"))
    }
}
