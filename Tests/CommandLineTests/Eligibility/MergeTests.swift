import Foundation
import ReceiptForge
import Testing

@Suite("eligibility --merge")
struct MergeTests {
    let tool: CommandLineTool
    private let authority: Authority
    private static let product = "com.example.app.monthly"

    init() throws {
        tool = try CommandLineTool()
        authority = try Authority.testJWS()
        try tool.write(Receipts.root(), to: "root.cer")
        try tool.write(Array(#"{"groups": {"21000001": ["\#(Self.product)"]}}"#.utf8), to: "catalog.json")
        var content = Receipts.content()
        content.receiptType = "ProductionSandbox"
        content.creationDate = "2026-06-01T09:00:00Z"
        try tool.write(Receipts.genuine(content), to: "receipt.der")
        try tool.write(Receipts.forged(), to: "forged.der")
    }

    private func write(_ payload: JSONMembers, to name: String) throws {
        try tool.write(Array(try JWSRecipe(payload, authority: authority).forge().utf8), to: name)
    }

    private func ask(_ arguments: String...) throws -> CommandLineTool.Answer {
        try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", files: arguments)
    }

    /// Asks about the receipt and renewal information.
    private func ask(with renewals: String, _ options: [String]) throws -> CommandLineTool.Answer {
        try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", "receipt.der", "--renewal-info", renewals, "--catalog", "catalog.json", files: options)
    }

    /// Writes `renewal.json`: renewal information of a subscription, and a receipt beside it.
    private func writeRenewal(of original: String, beside receipt: [UInt8]) throws {
        var renewal = JSONMembers.renewalInfo
        renewal["originalTransactionId"] = "\"\(original)\""
        let text = try JWSRecipe(renewal, authority: authority).forge()
        let receipt = Data(receipt).base64EncodedString()
        let json = #"{"signedRenewalInfo": "\#(text)", "latest_receipt": "\#(receipt)"}"#
        try tool.write(Array(json.utf8), to: "renewal.json")
    }

    /// Returns a receipt with purchases, created on 2026-06-01.
    private func receipt(_ purchases: [PurchaseContent]) throws -> [UInt8] {
        var content = Receipts.content(purchases)
        (content.receiptType, content.creationDate) = ("ProductionSandbox", "2026-06-01T09:00:00Z")
        return try Receipts.genuine(content)
    }

    private func offers(_ answer: CommandLineTool.Answer) throws -> [[String: Any]] {
        let line = try #require(try answer.objects.first)
        return try ["introductory_offer", "promotional_offer", "win_back_offer"].map {
            try #require(line[$0] as? [String: Any])
        }
    }

    @Test("one line for each product, files in order, refused files reported and omitted")
    func sources() throws {
        try write(.transaction, to: "transaction.jws")
        let whole = try ask("--merge", "transaction.jws", "receipt.der", "--catalog", "catalog.json")
        #expect(whole.status == 0)
        #expect(whole.errors.isEmpty)
        #expect(try whole.objects.map { $0["sources"] as? [String] } == [["transaction.jws", "receipt.der"]])
        #expect(try whole.objects.allSatisfy { $0["source"] == nil })
        #expect(try offers(whole).allSatisfy { ($0["caveats"] as? [String]) == [] })

        let less = try ask("--merge", "forged.der", "transaction.jws", "--catalog", "catalog.json")
        #expect(less.status == 1)
        #expect(less.errors.contains("forged.der: refused (bad_signature)"))
        #expect(try less.objects.map { $0["sources"] as? [String] } == [["transaction.jws"]])
        #expect(try offers(less).allSatisfy { ($0["caveats"] as? [String]) == ["evidence-refused"] })
    }

    @Test(
        "a response without objects shows that there are no purchases, together with other evidence of its app"
    )
    func withoutObjects() throws {
        try write(.appTransaction, to: "app.jws")
        let answer =
            #"{"hasMore":false,"signedTransactions":[],"bundleId":"com.example.app","environment":"Sandbox"}"#
        try tool.write(Array(answer.utf8), to: "empty.json")
        let whole = try ask("--merge", "empty.json", "app.jws", "--catalog", "catalog.json")
        #expect(whole.status == 0)
        #expect(whole.errors.isEmpty)
        #expect(try whole.objects.map { $0["sources"] as? [String] } == [["app.jws"]])
        #expect(try offers(whole).allSatisfy { $0["rule"] as? String == "never-subscribed" })
        #expect(try offers(whole).allSatisfy { ($0["caveats"] as? [String]) == [] })
        let alone = try ask("--merge", "empty.json", "--catalog", "catalog.json")
        #expect(alone.status == 1)
        #expect(alone.output.isEmpty)
        #expect(alone.errors.contains("refused (malformed): lists no signed objects"))
        #expect(try ask("empty.json", "--catalog", "catalog.json").objects.count == 1)
    }

    @Test("without genuine evidence, there is no line")
    func nothingGenuine() throws {
        let answer = try ask("--merge", "forged.der", "--catalog", "catalog.json")
        #expect(answer.status == 1)
        #expect(answer.output.isEmpty)
        let missing = try ask("--merge", "missing", "--catalog", "catalog.json")
        #expect(missing.status == 2)
        #expect(missing.output.isEmpty)
    }

    @Test(
        "different apps, environments or Apple Accounts are not merged, and the error names both",
        arguments: [
            ("bundleId", #""com.example.other""#, "app"), ("environment", #""Production""#, "environment"),
            ("appTransactionId", #""7002""#, "appTransactionId"),
        ])
    func notOneCustomer(member: String, value: String, word: String) throws {
        var payload = JSONMembers.transaction
        payload["appTransactionId"] = #""7001""#
        try write(payload, to: "one.jws")
        payload[member] = value
        try write(payload, to: "other.jws")
        let answer = try ask("--merge", "one.jws", "other.jws", "--catalog", "catalog.json")
        #expect(answer.status == 1)
        #expect(answer.output.isEmpty)
        #expect(answer.errors.contains("the \(word) differs"))
        #expect(answer.errors.contains("one.jws ("))
        #expect(answer.errors.contains("other.jws ("))
    }

    @Test("without a catalog, signed transactions name the groups, and products are required")
    func noCatalog() throws {
        try write(.transaction, to: "transaction.jws")
        let answer = try ask("--merge", "transaction.jws")
        #expect(answer.status == 0)
        #expect(try answer.objects.first?["subscription_group"] as? String == "21000001")
        #expect(try tool.run("eligibility", "--merge", "transaction.jws", "--root", "root.cer").status == 64)
        #expect(try ask("transaction.jws").status == 64)
    }

    // Receipts contain no group, so the result for a product depends on signed transactions and on the
    // catalog.
    @Test(
        "a product with only a signed group gets a verdict; without a catalog, no products are listed",
        arguments: [
            (["--merge", "transaction.jws"], true, true), (["transaction.jws"], true, true),
            (["--merge", "transaction.jws", "receipt.der"], true, true),
            (["--merge", "receipt.der"], true, false),
            (["receipt.der"], true, false), (["--merge", "receipt.der"], false, true),
        ])
    func signedGroupSuffices(arguments: [String], hasCatalog: Bool, isListed: Bool) throws {
        try write(.transaction, to: "transaction.jws")
        try tool.write(Array(#"{"groups": {"21000001": ["other"]}}"#.utf8), to: "other.json")
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", files: arguments + (hasCatalog ? ["--catalog", "other.json"] : []))
        #expect(try answer.objects.count == 1)
        #expect(answer.status == 0)
        #expect(answer.errors.contains("not in the catalog") == !isListed)
        #expect(answer.errors.isEmpty == isListed)
    }

    // Renewal information names no app.
    @Test(
        "with --bundle-id, renewal information counts if the evidence has its subscription",
        arguments: [("2000000000000001", true), ("2000000000000077", false), ("0", false)])
    func bareRenewalInformation(original: String, counts: Bool) throws {
        try write(.transaction, to: "transaction.jws")
        var renewal = JSONMembers.renewalInfo
        renewal["originalTransactionId"] = "\"\(original)\""
        try write(renewal, to: "renewal.jws")
        let arguments = [
            "--merge", "renewal.jws", "transaction.jws", "--catalog", "catalog.json", "--bundle-id",
        ]
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", files: arguments + ["com.example.app"])
        let rule = try offers(answer)[0]["rule"] as? String
        #expect(rule == (counts ? "in-grace-period" : "subscribed"))
        #expect(answer.status == (counts ? 0 : 1))
        #expect(answer.errors.contains("renewal.jws: refused (wrong_bundle_id)") == !counts)
        // In any order, and also with --renewal-info.
        let other = try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", "--merge", "transaction.jws", "--renewal-info", "renewal.jws", "--catalog",
            "catalog.json",
            "--bundle-id", files: ["com.example.app"])
        #expect(other.status == answer.status)
        #expect(try offers(other)[0]["rule"] as? String == rule)
        #expect(try other.objects.first?["sources"] as? [String] == ["transaction.jws"])
    }

    // Renewal information in JSON that resembles a notification's body still names no app.
    @Test func bareInJSON() throws {
        try write(.transaction, to: "transaction.jws")
        var renewal = JSONMembers.renewalInfo
        renewal["originalTransactionId"] = #""2000000000000077""#
        let text = try JWSRecipe(renewal, authority: authority).forge()
        try tool.write(Array(#"{"data": {"signedRenewalInfo": "\#(text)"}}"#.utf8), to: "answer.json")
        let answer = try ask(
            "--merge", "transaction.jws", "answer.json", "--catalog", "catalog.json", "--bundle-id",
            "com.example.app")
        #expect(answer.status == 1)
        #expect(answer.errors.contains("answer.json#data.signedRenewalInfo: refused (wrong_bundle_id)"))
    }

    @Test("signed --renewal-info counts only for receipts with its subscription")
    func signedRenewalInformation() throws {
        var renewal = JSONMembers.renewalInfo
        renewal["originalTransactionId"] = #""100000000000001""#
        renewal["eligibleWinBackOfferIds"] = nil
        try write(renewal, to: "renewal.jws")
        let answer = try ask("receipt.der", "--renewal-info", "renewal.jws", "--catalog", "catalog.json")
        #expect(answer.status == 0)
        #expect(answer.errors.isEmpty)
        #expect(try answer.objects.first?["source"] as? String == "receipt.der")
        #expect(try offers(answer)[0]["certainty"] as? String == "as_of_signed_renewal_info")

        renewal["originalTransactionId"] = #""7""#
        try write(renewal, to: "renewal.jws")
        let other = try ask("receipt.der", "--renewal-info", "renewal.jws", "--catalog", "catalog.json")
        #expect(other.status == 0)
        #expect(other.errors.contains("it changed no verdict"))
        #expect(try offers(other)[0]["rule"] as? String == "lapsed")
    }

    /// Rows: the original transaction of each entry, the rules for both receipts, and the message about entries without use.
    @Test(
        "with several files, unsigned --renewal-info counts only for receipts with its subscription",
        arguments: [
            ([#""100000000000001""#], ["in-grace-period", "lapsed"], nil),
            (
                [#""7""#], ["lapsed", "lapsed"],
                "no entry matches the catalog or a receipt; it changed no verdict"
            ),
            // Nothing says whose it is.
            (
                ["null"], ["lapsed", "lapsed"],
                "no entry matches the catalog or a receipt; it changed no verdict"
            ),
            (
                [#""100000000000001""#, "null"], ["in-grace-period", "lapsed"],
                "entries whose original_transaction_id is in no file, not used: 1"
            ),
        ] as [([String], [String], String?)])
    func unsignedRenewalInformationOfOneOfTwo(originals: [String], rules: [String], message: String?) throws {
        var purchase = Receipts.monthly
        (purchase.transactionID, purchase.originalTransactionID) = ("200000000000001", "200000000000001")
        try tool.write(receipt([purchase]), to: "second.der")
        let entries = originals.map { original in
            """
            {"product_id": "\(Self.product)", "original_transaction_id": \(original), "auto_renew_status": "1", \
            "grace_period_expires_date_ms": "1782000000000"}
            """
        }
        try tool.write(Array("[\(entries.joined(separator: ","))]".utf8), to: "renewal.json")
        let answer = try ask(
            "receipt.der", "second.der", "--renewal-info", "renewal.json", "--catalog", "catalog.json")
        let verdicts = try answer.objects.map { try #require($0["introductory_offer"] as? [String: Any]) }
        #expect(verdicts.map { $0["rule"] as? String } == rules)
        #expect(answer.errorLines == (message.map { ["appreceipt: renewal.json: \($0)"] } ?? []))
    }

    @Test(
        "renewal information of an unknown environment counts for no receipt, even one without an environment"
    )
    func renewalInformationOfNoEnvironment() throws {
        var content = Receipts.content()
        content.receiptType = "Elsewhere"
        try tool.write(Receipts.genuine(content), to: "nowhere.der")
        var renewal = JSONMembers.renewalInfo
        renewal["originalTransactionId"] = #""100000000000001""#
        renewal["environment"] = #""Elsewhere""#
        try write(renewal, to: "renewal.jws")
        let answer = try ask("nowhere.der", "--renewal-info", "renewal.jws", "--catalog", "catalog.json")
        #expect(answer.status == 0, "\(answer)")
        #expect(answer.errors.contains("it changed no verdict"), "\(answer)")
        #expect(try answer.objects.map { $0["source"] as? String } == ["nowhere.der"])
    }

    @Test("each of several receipts gets the renewal information of its subscriptions")
    func renewalInformationOfMany() throws {
        for number in 0..<4 {
            var purchase = Receipts.monthly
            (purchase.transactionID, purchase.originalTransactionID) = ("\(number)1", "\(number)0")
            var content = Receipts.content([purchase])
            (content.receiptType, content.creationDate) = ("ProductionSandbox", "2026-06-01T09:00:00Z")
            try tool.write(Receipts.genuine(content), to: "r\(number).der")
        }
        // Two objects name the first receipt's original transaction and its transaction, one names the second
        // receipt's original transaction, and one names no receipt's.
        for (number, original) in ["00", "01", "10", "77"].enumerated() {
            var renewal = JSONMembers.renewalInfo
            renewal["originalTransactionId"] = "\"\(original)\""
            if number == 1 { renewal["signedDate"] = "1780308000124" }
            renewal["gracePeriodExpiresDate"] = number == 1 ? nil : renewal["gracePeriodExpiresDate"]
            renewal["eligibleWinBackOfferIds"] = nil
            try write(renewal, to: "renewal\(number).jws")
        }
        let renewals = (0..<4).flatMap { ["--renewal-info", "renewal\($0).jws"] }
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--product", Self.product, "--as-of", "2026-06-20T00:00:00Z",
            "--json", "--catalog", "catalog.json", files: renewals + (0..<4).map { "r\($0).der" })
        let rules = try answer.objects.map { ($0["win_back_offer"] as? [String: Any])?["rule"] as? String }
        // The newest counts.
        #expect(rules == ["in-billing-retry", "in-grace-period", "auto-renew-unknown", "auto-renew-unknown"])
        #expect(answer.errors.isEmpty)
        #expect(answer.status == 0)
    }

    @Test("the transaction next to signed --renewal-info counts")
    func transactionBesideRenewalInformation() throws {
        var (transaction, renewal) = (JSONMembers.transaction, JSONMembers.renewalInfo)
        let original = #""100000000000001""#
        (transaction["originalTransactionId"], renewal["originalTransactionId"]) = (original, original)
        transaction["offerType"] = "1"
        let texts = try [transaction, renewal].map { try JWSRecipe($0, authority: authority).forge() }
        let data =
            #"[{"lastTransactions": [{"signedTransactionInfo": "\#(texts[0])", "signedRenewalInfo": "\#(texts[1])"}]}]"#
        try tool.write(Array(#"{"data": \#(data)}"#.utf8), to: "statuses.json")
        for merge in [[], ["--merge"]] {
            let answer = try ask(with: "statuses.json", merge)
            let offer = try offers(answer)[0]
            #expect(offer["rule"] as? String == "offer-used")
            #expect(offer["transactions"] as? [String] == ["2000000000000002"])
        }
    }

    @Test("the receipt next to signed --renewal-info counts")
    func receiptBesideRenewalInformation() throws {
        var (purchase, trial) = (Receipts.monthly, Receipts.monthly)
        (purchase.isTrialPeriod, purchase.isInIntroOfferPeriod) = (false, false)
        (trial.isTrialPeriod, trial.transactionID) = (true, "8")
        try tool.write(receipt([purchase]), to: "receipt.der")
        try writeRenewal(of: "100000000000001", beside: receipt([trial]))
        for merge in [[], ["--merge"]] {
            let answer = try ask(with: "renewal.json", merge)
            #expect(try offers(answer)[0]["transactions"] as? [String] == ["8"], "\(answer)")
        }
    }

    @Test("a receipt next to signed --renewal-info names further subscriptions of the customer")
    func subscriptionsOfTheReceipt() throws {
        var other = Receipts.monthly
        (other.transactionID, other.originalTransactionID) = ("22", "22")
        try writeRenewal(of: "22", beside: receipt([Receipts.monthly, other]))
        for merge in [[], ["--merge"]] {
            let answer = try ask(with: "renewal.json", merge)
            let offer = try offers(answer)[0]
            #expect(offer["certainty"] as? String == "as_of_signed_renewal_info", "\(merge) \(answer)")
        }
    }

    @Test("a null member does not make a response of verifyReceipt signed --renewal-info")
    func nullRenewalInformation() throws {
        let entry =
            #"{"product_id": "\#(Self.product)", "original_transaction_id": "100000000000001", "is_in_billing_retry_period": "1"}"#
        let renewals = #""signedRenewalInfo": null, "pending_renewal_info": [\#(entry)]"#
        try tool.write(Array("{\(renewals)}".utf8), to: "renewal.json")
        let answer = try ask("receipt.der", "--renewal-info", "renewal.json", "--catalog", "catalog.json")
        #expect(try offers(answer)[2]["rule"] as? String == "in-billing-retry", "\(answer)")
    }

    @Test("the report for people names the files of the evidence")
    func account() throws {
        try write(.transaction, to: "transaction.jws")
        let answer = try tool.run(
            "eligibility", "--merge", "receipt.der", "transaction.jws", "--catalog", "catalog.json", "--root",
            "root.cer", "--as-of", "2026-06-20T00:00:00Z")
        #expect(
            answer.output.hasPrefix("receipt.der, transaction.jws, the newest of 2026-06-01T10:00:00.123Z"))
        #expect(answer.output.contains("Sandbox: no money was paid"))
    }
}
