import AppReceipt
import ReceiptForge
import ReceiptJSON
import StrictJSON
import Testing

@testable import ReceiptExamination

/// The signed payload in the contract's line: unchanged, on one line, and without control characters.
struct SignedPayloadJSONTests {
    private static let authority = Result {
        try Authority.test { (profiles) throws(ForgeError) in profiles.leaf.key = try .generateEC(.p256) }
    }

    @Test(arguments: [
        // Unchanged at any length, whether scanned in words or in single bytes.
        (#""""#, #""""#),
        (#""1234567""#, #""1234567""#),
        (#""12345678 0""#, #""12345678 0""#),
        (#""é, 日本語 and 12345678 more""#, #""é, 日本語 and 12345678 more""#),
        // Escapes are kept, and an escaped quote does not end the string.
        (#""a \" b \\""#, #""a \" b \\""#),
        (#""A\/\n""#, #""A\/\n""#),
        // White space is removed between tokens and kept in strings.
        ("[ 1 ,\t-2.5e3 ,\r\n{ \"a b\" : [ ] } ]", #"[1,-2.5e3,{"a b":[]}]"#),
        // DEL, a C1 control, and characters that change text direction.
        ("\"a\u{7F}b\"", #""a\u007fb""#),
        ("\"12345678\u{9B}31m\"", #""12345678\u009b31m""#),
        ("\"\u{202E}gpj.exe\"", #""\u202egpj.exe""#),
        ("{ \"\u{2066}\" : \"\u{61C}\" }", #"{"\u2066":"\u061c"}"#),
    ])
    func payloadIsUnchanged(value: String, expected: String) throws {
        var payload = JSONMembers.transaction
        payload["memo"] = value
        let text = try JWSRecipe(payload, authority: Self.authority.get()).forge()
        let verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
        var lines: [String] = []
        Examiner(verifier, policy: .any).examine(signedObjects: Array(text.utf8)) {
            var json = JSONWriter()
            json.verification($0, of: "-")
            lines.append(String(decoding: json.bytes, as: UTF8.self))
        }
        try #require(lines.count == 1)
        #expect(lines[0].contains(#""status":"genuine""#))
        #expect(lines[0].contains(#""memo":\#(expected)"#), "\(lines)")
        #expect(!lines[0].contains("\n"))
    }
}
