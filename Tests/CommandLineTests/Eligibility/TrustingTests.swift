import Foundation
import Testing

@Suite(
    "Saved verifyReceipt answers are trusted only with --trusting, and every line says so")
struct TrustingCommandTests {
    let tool: CommandLineTool
    private static let answer = """
        {"status": 0, "environment": "Sandbox", "latest_receipt_info": [{"product_id": "p", "transaction_id": "1",
        "original_transaction_id": "1", "purchase_date_ms": "1700000000000", "expires_date_ms": "1700600000000",
        "is_trial_period": "true"}]}
        """

    init() throws {
        tool = try .withReceipts()
        try tool.write(Array(Self.answer.utf8), to: "answer.json")
        try tool.write(Array(#"{"groups": {"g": ["p"]}}"#.utf8), to: "catalog.json")
    }

    private func ask(_ more: String...) throws -> CommandLineTool.Answer {
        try tool.run(
            "eligibility", "--catalog", "catalog.json", "--as-of", "2024-01-01T00:00:00Z", files: more)
    }

    @Test("every JSON object and every line says that it is unsigned")
    func everyLineSaysSo() throws {
        let answer = try ask("--trusting", "answer.json", "--json")
        #expect(answer.status == 0)
        #expect(answer.errors.isEmpty)
        let objects = try answer.objects
        try #require(objects.count == 1)
        #expect(objects[0]["signed"] as? Bool == false)
        #expect(objects[0]["source"] as? String == "answer.json")
        let offer = objects[0]["introductory_offer"] as? [String: Any]
        #expect(offer?["rule"] as? String == "offer-used")

        let report = try ask("--trusting", "answer.json")
        #expect(report.status == 0)
        #expect(report.output.contains("offer-used"))
        #expect(report.lines.allSatisfy { $0.hasPrefix("unsigned: ") })
        // The verdict on a verified receipt has no `signed` member.
        let signed = try ask("--json", "--root", "root.cer", "genuine.der")
        #expect(signed.status == 0)
        #expect(!signed.output.contains("\"signed\""))
    }

    @Test("an answer from standard input counts beside others")
    func standardInput() throws {
        let answer = try tool.run(
            "eligibility", "--catalog", "catalog.json", "--as-of", "2024-01-01T00:00:00Z", "--json",
            "--trusting", "-",
            "--trusting", "answer.json", input: Array(Self.answer.utf8))
        #expect(answer.status == 0)
        #expect(try answer.objects.map { $0["source"] as? String } == ["-", "answer.json"])
    }

    @Test("renewal information in the answer counts, and duplicate lists are refused")
    func renewalsOfTheAnswer() throws {
        let paid = Self.answer.replacing("\"true\"", with: "\"false\"")
        let grace =
            paid.dropLast(1) + """
                , "pending_renewal_info": [{"product_id": "p", "auto_renew_product_id": "p", "original_transaction_id": "1",
                "auto_renew_status": "1", "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": "1704400000000"}]}
                """
        try tool.write(Array(grace.utf8), to: "grace.json")
        let objects = try ask("--trusting", "grace.json", "--json").objects
        let offer = objects.first?["introductory_offer"] as? [String: Any]
        #expect(offer?["rule"] as? String == "in-grace-period")
        #expect(offer?["outcome"] as? String == "ineligible")
        let list = #"[{"product_id": "p", "transaction_id": "1", "purchase_date_ms": "1700000000000"}]"#
        let twice = #"{"latest_receipt_info": \#(list), "receipt": {"latest_receipt_info": \#(list)}}"#
        try tool.write(Array(twice.utf8), to: "twice.json")
        #expect(try ask("--trusting", "twice.json", "--json").status == 2)
    }

    @Test(
        "a family member's purchase is active, but is neither a used offer nor the customer's purchase",
        arguments: [
            // ownership, date, rule of the introductory offer and of the promotional offer
            ("FAMILY_SHARED", "2023-11-15T00:00:00Z", "subscribed", "never-subscribed"),
            ("FAMILY_SHARED", "2024-01-01T00:00:00Z", "never-subscribed", "never-subscribed"),
            ("ASSIGNED", "2023-11-15T00:00:00Z", "subscribed", "unknown-ownership"),
            ("ASSIGNED", "2024-01-01T00:00:00Z", "unknown-ownership", "unknown-ownership"),
            ("PURCHASED", "2024-01-01T00:00:00Z", "offer-used", "current-or-lapsed-subscriber"),
        ])
    func familySharing(ownership: String, asOf: String, introductory: String, promotional: String) throws {
        let shared = Self.answer.replacing(
            "\"is_trial", with: "\"in_app_ownership_type\": \"\(ownership)\", \"is_trial")
        try tool.write(Array(shared.utf8), to: "shared.json")
        // The same with two merged lists in one answer.
        let list = try #require(shared.firstMatch(of: /\[.*\]/.dotMatchesNewlines())?.0)
        let both = #"{"latest_receipt_info": \#(list), "receipt": {"in_app": \#(list)}}"#
        try tool.write(Array(both.utf8), to: "both.json")
        for file in ["shared.json", "both.json"] {
            let answer = try tool.run(
                "eligibility", "--catalog", "catalog.json", "--as-of", asOf, "--trusting", file, "--json")
            let object = try #require(try answer.objects.first)
            let offers = ["introductory_offer", "promotional_offer"].map { object[$0] as? [String: Any] }
            #expect(offers.map { $0?["rule"] as? String } == [introductory, promotional])
            let caveats = offers.map { $0?["caveats"] as? [String] ?? [] }
            #expect(caveats.allSatisfy { $0.contains("family-shared") == (ownership == "FAMILY_SHARED") })
            let rules = [introductory, promotional]
            #expect(
                zip(caveats, rules).allSatisfy { caveats, rule in
                    caveats.contains("unknown-ownership")
                        == (ownership == "ASSIGNED" && rule != "unknown-ownership")
                })
        }
    }

    @Test("invalid answers and combinations are refused")
    func refuses() throws {
        try tool.write(Array("{}".utf8), to: "none.json")
        let none = try ask("--trusting", "none.json", "--trusting", "answer.json", "--json")
        #expect(none.status == 2)
        #expect(none.errors.contains("none.json: not a saved verifyReceipt response"))
        #expect(none.lines.count == 1)
        for wrong in [
            [], ["--trusting", "answer.json", "genuine.der"],
            ["--trusting", "answer.json", "--root", "root.cer"],
            ["--trusting", "answer.json", "--bundle-id", "x"],
            ["--trusting", "answer.json", "--device-id", "00"],
            ["--trusting", "answer.json", "--signature-checks", "64"],
            ["--trusting", "answer.json", "--sha1-signatures", "all"],
        ] {
            let answer = try tool.run(
                "eligibility", "--catalog", "catalog.json", files: wrong)
            #expect(answer.status == 64, "\(wrong)")
            #expect(answer.output.isEmpty, "\(wrong)")
        }
    }
}
