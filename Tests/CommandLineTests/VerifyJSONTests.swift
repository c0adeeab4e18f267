import ReceiptForge
import Testing

@Suite("verify --json follows its contract")
struct VerifyJSONTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    @Test("a genuine receipt: every key, in order, absent values null")
    func genuine() throws {
        var content = Receipts.content()
        content.purchases[0].otherAttributes = [.integer(1722, 0)]
        content.otherAttributes = [.integer(9, 5)]
        content.omittedTypes = [15]
        try tool.write(Receipts.genuine(content), to: "one.der")
        let answer = try tool.run("verify", "--json", "--root", "root.cer", "one.der")
        #expect(answer.status == 0)
        let keys: [[String]] = [
            [
                "source", "sha256", "content_sha256", "status", "realm", "environment",
                "revocation", "status", "as_of", "caveats", "signature", "digest",
                "verified_at", "chain",
            ], Self.certificateKeys, Self.certificateKeys, Self.certificateKeys,
            [
                "receipt", "receipt_type", "bundle_id", "application_version", "original_application_version",
                "receipt_creation_date", "original_purchase_date", "expiration_date", "app_item_id",
                "download_id",
                "version_external_identifier", "opaque_value", "sha1_hash", "in_app", "quantity",
                "product_id",
                "product_type", "transaction_id", "original_transaction_id", "purchase_date",
                "original_purchase_date", "expires_date", "cancellation_date", "cancellation_reason",
                "is_trial_period", "is_in_intro_offer_period", "promotional_offer_identifier",
                "web_order_line_item_id", "unknown", "type", "version", "value", "unknown", "type", "version",
                "value",
            ],
        ]
        #expect(Self.keys(answer.output) == keys.flatMap(\.self))
        for value in [
            #""realm":"custom","environment":"Production""#, #""verified_at":"2024-06-01T10:00:00Z""#,
            #""expiration_date":null,"#, #""app_item_id":"1450218337""#, #""download_id":null,"#,
            #""product_type":"auto_renewable_subscription""#, #""transaction_id":"100000000000001""#,
            #""cancellation_date":null,"#, #""cancellation_reason":null,"#, #""is_trial_period":false,"#,
            #""unknown":[{"type":1722,"version":1,"value":"020100"}]"#,
            #""unknown":[{"type":9,"version":1,"value":"020105"}]"#,
        ] { #expect(answer.output.contains(value)) }
    }

    @Test("a refused receipt: every key, in order, absent values null")
    func refused() throws {
        try tool.write(Array("!".utf8), to: "text.b64")
        let answer = try tool.run(
            "verify", "--json", "--root", "root.cer", "forged.der", "text.b64", "missing.der", "genuine.der",
            "--bundle-id", "com.example.other")
        let keys = ["source", "sha256", "status", "refusal", "code", "message", "offset", "field"]
        for line in answer.lines { #expect(Self.keys(String(line)) == keys) }
        let refusals = try answer.objects.map { $0["refusal"] as? [String: Any] ?? [:] }
        #expect(
            refusals.map { $0["code"] as? String } == [
                "bad_signature", "malformed", "unreadable", "wrong_bundle_id",
            ])
        #expect(answer.lines[1].contains(#""sha256":null"#))
        #expect(answer.lines[2].contains(#""sha256":null"#))
        #expect(answer.lines[2].hasSuffix(#""offset":null,"field":null}}"#))
        #expect(answer.status == 2)
    }

    @Test(
        "demands",
        arguments: [
            (["--bundle-id", "com.example.app"], "genuine"),
            (["--bundle-id", "com.example.ap"], "wrong_bundle_id"),
            (["--environment", "production"], "genuine"), (["--environment", "any"], "genuine"),
            (["--environment", "sandbox"], "wrong_environment"),
            (["--environment", "xcode"], "wrong_environment"),
            (["--bundle-id", "com.example.other", "--bundle-id", "com.example.app"], "genuine"),
            (["--bundle-id", "com.example.other", "--bundle-id", "com.example"], "wrong_bundle_id"),
            (["--bundle-id", "any"], "genuine"),
            (["--environment", "sandbox", "--environment", "production"], "genuine"),
            (["--environment", "sandbox", "--environment", "xcode"], "wrong_environment"),
            (["--device-id", "00112233-4455-6677-8899-AABBCCDDEEFF"], "genuine"),
            (["--device-id", "00:11:22:33:44:55:66"], "wrong_device"), (["--cross-check"], "genuine"),
            (["--signature-checks", "1"], "untrusted_chain"), (["--signature-checks", "2"], "genuine"),
            (["--input-bytes", "1000"], "too_large"), (["--nesting", "4"], "malformed"),
            (["--certificates", "2"], "too_large"), (["--certificate-bytes", "100"], "too_large"),
            (["--sha1-signatures", "none"], "genuine"),
        ])
    func policyDecidesTheStatus(options: [String], expected: String) throws {
        let answer = try tool.run("verify", "--json", "--root", "root.cer", "genuine.der", files: options)
        let object = try #require(try answer.objects.first)
        let refusal = object["refusal"] as? [String: Any]
        #expect((refusal?["code"] ?? object["status"]) as? String == expected)
        #expect(answer.status == (expected == "genuine" ? 0 : 1))
    }

    @Test("trust anchor kinds: Apple's roots by default, StoreKit Test in addition")
    func anchorKindIsNamed() throws {
        let xcode = try ReceiptRecipe.xcode().forge()
        try tool.write(xcode.bytes, to: "xcode.der")
        try tool.write(xcode.anchor, to: "storekit.cer")
        let apple = try tool.run("verify", "--json", "xcode.der", "genuine.der")
        #expect(apple.status == 1)
        #expect(apple.lines.allSatisfy { $0.contains(#""code":"untrusted_chain""#) })
        let test = try tool.run(
            "verify", "--json", "--storekit-test-root", "storekit.cer", "xcode.der", "genuine.der")
        #expect(test.lines[0].contains(#""status":"genuine","realm":"storekit_test","environment":"Xcode""#))
        #expect(test.lines[1].contains(#""code":"untrusted_chain""#))
    }

    private static let certificateKeys = ["subject", "issuer", "serial", "not_before", "not_after", "sha256"]

    /// Returns the keys of a line in order.
    private static func keys(_ line: String) -> [String] {
        line.matches(of: /"([a-z0-9_]+)":/).map { String($0.1) }
    }
}
