import AppReceipt
import StrictJSON
import Testing

@testable import OfferEligibility

/// Saved verifyReceipt responses.
struct TrustingTests {
    static let transaction = """
        {"quantity": "1", "product_id": "basic", "transaction_id": "7", "original_transaction_id": "6",
         "purchase_date": "2026-05-01 09:00:00 Etc/GMT", "purchase_date_ms": "1777626000000",
         "expires_date_ms": "1780304400000", "is_trial_period": "true", "is_in_intro_offer_period": false}
        """

    @Test(arguments: [
        "[\(transaction)]",
        #"{"status": 0, "latest_receipt_info": [\#(transaction)]}"#,
        #"{"status": "0", "latest_receipt_info": \#(transaction)}"#,
        #"{"receipt": {"in_app": [\#(transaction)]}}"#,
        #"{"in_app": [\#(transaction)], "bundle_id": "app"}"#,
        #"{"status": 0, "receipt": \#(transaction)}"#,
        #"{"status": 21006, "receipt": \#(transaction), "latest_expired_receipt_info": \#(transaction)}"#,
        #"{"latest_receipt": "AAAA", "latest_receipt_info": [\#(transaction)], "receipt": {"in_app": [\#(transaction)]}}"#,
        // Notifications of version 1, since 2021 and before, and of November 2019
        #"{"environment": "PROD", "unified_receipt": {"status": 0, "latest_receipt_info": [\#(transaction)]}}"#,
        #"{"unified_receipt": {"latest_receipt_info": [\#(transaction)]}, "latest_receipt_info": \#(transaction)}"#,
        #"{"unified_receipt": {"status": "OK"}, "latest_receipt_info": \#(transaction), "latest_expired_receipt_info": \#(transaction)}"#,
    ])
    func everyShape(answer: String) throws {
        let history = try PurchaseHistory(trusting: answer.utf8)
        try #require(history.count == 1)
        let bought = history.transactions[0]
        #expect(history.string(bought.product) == "basic")
        #expect(history.string(bought.id) == "7")
        #expect(history.string(bought.original) == "6")
        #expect(bought.purchased == at("2026-05-01"))
        #expect(bought.expires == at("2026-06-01"))
        #expect(bought.cancelled == nil)
        #expect(bought.isTrial == true)
        #expect(bought.isIntro == false)
        #expect(bought.isSubscription)
        #expect(history.evidenceDate == at("2026-05-01"))
    }

    // Responses about receipts from before iOS 7 have the receipt's transaction, and the latest one. There may be others.
    @Test func singleTransactions() throws {
        let latest = Self.transaction.replacing(#""true""#, with: "false").replacing(#""7""#, with: #""8""#)
            .replacing("1777626000000", with: "1782896400000").replacing(
                "1780304400000", with: "1785574800000")
        let answer =
            #"{"receipt": \#(Self.transaction.dropLast()), "bid": "app"}, "latest_receipt_info": \#(latest)}"#
        let history = try PurchaseHistory(trusting: answer.utf8)
        #expect(history.count == 2)
        #expect(history.bundleID == "app")
        #expect(history.coverage == .single)
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: history, asOf: .date(at("2026-09-01")))[0]
        #expect(verdict.introductoryOffer.short == "ineligible/offer-used/proven")
    }

    // A list without a subscription's first purchase may lack others.
    @Test(arguments: [
        // The first purchase, one that was dated 5 s before, and a minute after.
        ([("6", 0)], PurchaseCoverage.complete), ([("6", -5)], .complete), ([("6", 60)], .complete),
        // The first purchase is not in the list.
        ([("6", 61)], .single), ([("6", 2_592_000)], .single),
        // One subscription of two lacks its first purchase, in both orders.
        ([("6", 0), ("9", 2_592_000)], .single), ([("9", 2_592_000), ("6", 0)], .single),
        ([("6", 2_592_000), ("6", 0)], .complete), ([], .complete),
    ])
    func listWithoutABeginning(purchases: [(String, Int)], expected: PurchaseCoverage) throws {
        let list = purchases.map { original, seconds in
            Self.transaction.replacing(#""6""#, with: #""\#(original)""#)
                .replacing("1777626000000", with: "\(1_777_626_000 + seconds)000")
                .replacing("{", with: #"{"original_purchase_date_ms": "1777626000000", "#)
        }
        let answer = #"{"latest_receipt_info": [\#(list.joined(separator: ","))]}"#
        #expect(try PurchaseHistory(trusting: answer.utf8).coverage == expected)
    }

    // Facts beside the dates that decide whether a renewal may be the first purchase.
    @Test(arguments: [
        ("", PurchaseCoverage.single),
        // The first transaction, and an original date that is missing or not readable.
        (#""transaction_id": "6","#, .complete),
        (#""original_purchase_date_ms": null,"#, .complete),
        (#""original_purchase_date_ms": "REDACTED","#, .single),
    ])
    func renewalAlone(member: String, expected: PurchaseCoverage) throws {
        var transaction = Self.transaction.replacing("1777626000000", with: "1780218000000")
        if member.contains("transaction_id") {
            transaction = transaction.replacing(#""transaction_id": "7","#, with: "")
        }
        let date = member.contains("original") ? "" : #""original_purchase_date_ms": "1777626000000","#
        let answer = "[\(transaction.replacing("{", with: "{" + date + member))]"
        #expect(try PurchaseHistory(trusting: answer.utf8).coverage == expected)
    }

    // The two lists may date a purchase that does not expire differently: one has the date of a restoration.
    @Test(arguments: [("6", true), ("7", false)])
    func restorationIsNoContradiction(id: String, isMerged: Bool) {
        let purchase =
            #"{"product_id": "book", "transaction_id": "\#(id)", "original_transaction_id": "6", "purchase_date_ms": "1777626000000"}"#
        let restored = purchase.replacing("1777626000000", with: "1777712400000")
        let answer = #"{"latest_receipt_info": [\#(restored)], "receipt": {"in_app": [\#(purchase)]}}"#
        #expect(((try? PurchaseHistory(trusting: answer.utf8)) != nil) == isMerged)
    }

    // In a response without old transactions, the receipt lists the purchases up to its creation. Later ones may be missing.
    @Test(arguments: [(0, PurchaseCoverage.complete), (2_592_000, .single)])
    func listOfTheReceiptAlone(seconds: Int, expected: PurchaseCoverage) throws {
        let first = Self.transaction.replacing("{", with: #"{"original_purchase_date_ms": "1777626000000", "#)
        let last = first.replacing(#""7""#, with: #""8""#).replacing(
            #" "purchase_date_ms": "1777626000"#, with: #" "purchase_date_ms": "\#(1_777_626_000 + seconds)"#)
        let answer = #"{"latest_receipt_info": [\#(last)], "receipt": {"in_app": [\#(first)]}}"#
        #expect(try PurchaseHistory(trusting: answer.utf8).coverage == expected)
    }

    // The transaction of the receipt, and its later facts
    @Test func extensionInOneAnswer() throws {
        let latest = Self.transaction.replacing("1780304400000", with: "1780390800000")
        let history = try PurchaseHistory(
            trusting: #"{"receipt": \#(Self.transaction), "latest_receipt_info": \#(latest)}"#.utf8)
        #expect(history.transactions.map(\.expires) == [at("2026-06-02")])
    }

    // The response names the environment, or else the caller does. Otherwise, it is unknown.
    @Test(
        arguments: [
            (
                #"{"environment": "Sandbox", "receipt": {"receipt_type": "Production", "in_app": []}}"#,
                .sandbox
            ),
            (#"{"receipt": {"receipt_type": "ProductionSandbox", "in_app": []}}"#, .sandbox),
            (#"{"receipt_type": "Production", "in_app": [], "latest_receipt_info": []}"#, .production),
            (#"{"environment": "Elsewhere", "in_app": []}"#, nil), ("[]", nil),
        ] as [(String, ReceiptEnvironment?)])
    func environment(answer: String, expected: ReceiptEnvironment?) throws {
        let history = try PurchaseHistory(trusting: answer.utf8)
        #expect(history.environment == expected)
        #expect(history.realm == nil)
        let told = try PurchaseHistory(trusting: answer.utf8, environment: .xcode)
        #expect(told.environment == expected ?? .xcode)
    }

    // every form of a date
    @Test(arguments: [
        (#""purchase_date_ms": "1777626000000""#, true), (#""purchase_date_ms": 1777626000000"#, true),
        (#""purchase_date": "2026-05-01 09:00:00 Etc/GMT""#, true),
        (#""purchase_date": "2026-05-01T09:00:00Z""#, true),
        (#""purchase_date": "1777626000000""#, true),
        (#""purchase_date": "", "purchase_date_ms": null"#, false),
        (#""purchase_date_pst": "2026-05-01 02:00:00 America/Los_Angeles""#, false),
    ])
    func dates(member: String, isRead: Bool) throws {
        let history = try PurchaseHistory(trusting: "[{\"product_id\": \"basic\", \(member)}]".utf8)
        #expect(history.transactions.first?.purchased == (isRead ? at("2026-05-01") : nil))
    }

    @Test(arguments: [
        (#""true""#, true), ("true", true), (#""1""#, true), ("1", true), (#""True""#, true),
        (#""false""#, false),
        ("false", false), ("0", false), ("null", nil), (#""""#, nil),
    ])
    func booleans(value: String, expected: Bool?) throws {
        let history = try PurchaseHistory(
            trusting: #"[{"product_id": "a", "is_trial_period": \#(value)}]"#.utf8)
        #expect(history.transactions.first?.isTrial == expected)
    }

    @Test func latestReceiptInfoIsLaterEvidence() throws {
        let answer = """
            {"receipt": {"receipt_creation_date_ms": "1778000000000", "request_date_ms": "1779000000000",
                         "bundle_id": "app", "in_app": [\(Self.transaction)]},
             "latest_receipt_info": [\(Self.transaction.dropLast()), "cancellation_date_ms": "1778500000000"}]}
            """
        let history = try PurchaseHistory(trusting: answer.utf8)
        #expect(history.count == 1)
        #expect(history.transactions[0].cancelled == Timestamp(millisecondsSince1970: 1_778_500_000_000))
        #expect(history.evidenceDate == Timestamp(millisecondsSince1970: 1_779_000_000_000))
        #expect(history.string(history.bundle) == "app")
    }

    @Test func callersDateReplacesAMissingDate() throws {
        let history = try PurchaseHistory(
            trusting: "[\(Self.transaction)]".utf8, evidenceDate: at("2026-05-09"))
        #expect(history.evidenceDate == at("2026-05-09"))
        #expect(try PurchaseHistory(trusting: "[]".utf8).evidenceDate == nil)
    }

    @Test func upgradeIsNotARefund() throws {
        let answer = """
            [{"product_id": "basic", "transaction_id": "1", "purchase_date_ms": 1777626000000,
              "expires_date_ms": 1780304400000, "cancellation_date_ms": 1778000000000, "is_upgraded": "true"}]
            """
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-06-02")))[0]
        #expect(verdict.introductoryOffer.rule == .lapsed)
    }

    /// Checks an offer code that only one list of the answer names.
    @Test func offerCodeOfOneList() throws {
        let trial = Self.transaction.dropLast()
        let answer =
            #"{"receipt": {"in_app": [\#(trial)}]}, "latest_receipt_info": [\#(trial), "offer_code_ref_name": "SPRING"}]}"#
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-07-02")))[0]
        #expect(verdict.introductoryOffer.short == "eligible/lapsed/as_of_receipt")
    }

    // The environment of a version 1 notification, and of a response.
    @Test(arguments: [
        ("PROD", ReceiptEnvironment.production), ("Production", .production), ("Sandbox", .sandbox),
    ])
    func environmentOfTheAnswer(name: String, environment: ReceiptEnvironment) throws {
        let answer = #"{"environment": "\#(name)", "latest_receipt_info": [\#(Self.transaction)]}"#
        #expect(try PurchaseHistory(trusting: answer.utf8).environment == environment)
    }

    /// Checks that a notification's `unified_receipt` counts beside its own transaction.
    @Test func unifiedReceiptOfANotification() throws {
        let latest = Self.transaction.replacing(#""true""#, with: "false").replacing(#""7""#, with: #""8""#)
            .replacing("1780304400000", with: "1782896400000").replacing(
                "1777626000000", with: "1780304400000")
        let entry = #"{"product_id": "basic", "original_transaction_id": "6", "auto_renew_status": "0"}"#
        let unified =
            #"{"environment": "Production", "latest_receipt_info": [\#(latest), \#(Self.transaction)], "pending_renewal_info": [\#(entry)]}"#
        let answer =
            #"{"environment": "PROD", "latest_receipt_info": \#(latest), "unified_receipt": \#(unified)}"#
        let history = try PurchaseHistory(trusting: answer.utf8)
        #expect(history.count == 2)
        #expect(history.environment == .production)
        #expect(history.coverage == .single)
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: history, asOf: .date(at("2026-09-01")))[0]
        #expect(verdict.introductoryOffer.short == "ineligible/offer-used/proven")
        #expect(try RenewalInformation(parsing: answer.utf8).entries.map(\.willRenew) == [false])
    }

    /// Checks that all lists of entries have one limit.
    @Test(arguments: [2, 3])
    func entriesOfANotificationHaveOneLimit(limit: Int) {
        let entries = #"[{"product_id": "basic"}, {"product_id": "basic"}]"#
        let text =
            #"{"pending_renewal_info": \#(entries), "unified_receipt": {"pending_renewal_info": \#(entries)}}"#
        #expect(throws: JSONError.self) { try RenewalInformation(parsing: Array(text.utf8), atMost: limit) }
        #expect((try? RenewalInformation(parsing: Array(text.utf8), atMost: 4))?.entries.count == 4)
    }

    /// Checks that a consumable is not a successor, also if all products are one group.
    @Test func consumablesEndNoUpgradedPeriod() throws {
        let answer = """
            [{"product_id": "pro", "transaction_id": "1", "purchase_date_ms": 1764579600000,
              "expires_date_ms": 1796115600000, "is_upgraded": "true"},
             {"product_id": "coins", "transaction_id": "2", "purchase_date_ms": 1772355600000}]
            """
        let verdict = OfferRules(catalog: .singleGroup).verdicts(
            for: ["pro"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-06-02")))[0]
        #expect(verdict.introductoryOffer.rule == .subscribed)
    }

    // Apple's reasons are 0 and 1. Others may be other things than refunds, such as that of a switch to a subscription bundle.
    @Test(arguments: [
        (#""0""#, "ineligible/refunded/as_of_receipt"), ("1", "ineligible/refunded/as_of_receipt"),
        ("null", "ineligible/refunded/as_of_receipt"), (#""2""#, "undetermined/uncatalogued-history/-"),
        ("2", "undetermined/uncatalogued-history/-"), (#""""#, "ineligible/refunded/as_of_receipt"),
    ])
    func reasonOfACancellation(reason: String, expected: String) throws {
        let answer = """
            [{"product_id": "basic", "transaction_id": "1", "purchase_date_ms": 1777626000000,
              "expires_date_ms": 1780304400000, "cancellation_date_ms": 1778000000000, "cancellation_reason": \(reason)}]
            """
        let history = try PurchaseHistory(trusting: answer.utf8)
        func rule(_ asOf: String) -> String {
            OfferRules(catalog: catalog).verdicts(for: ["basic"], in: history, asOf: .date(at(asOf)))[0]
                .introductoryOffer.short
        }
        #expect(rule("2026-06-02") == expected)
        // Before the cancellation.
        #expect(rule("2026-05-02") == "ineligible/subscribed/as_of_receipt")
    }

    // In genuine receipts, the trial flag is also that of a free offer code, whose identifier is a UUID. Apple's answers name the
    // code too.
    @Test(arguments: [
        (#""promotional_offer_id": "b3c85265""#, "undetermined/uncatalogued-history/-"),
        (
            #""promotional_offer_id": "b3c85265", "offer_code_ref_name": "SPRING""#,
            "eligible/lapsed/as_of_receipt"
        ),
        (#""offer_code_ref_name": "SPRING""#, "eligible/lapsed/as_of_receipt"),
        // Without an identifier, with an empty one, or with both flags, it is a trial.
        (#""quantity": "1""#, "ineligible/offer-used/proven"),
        (#""promotional_offer_id": """#, "ineligible/offer-used/proven"),
        (
            #""promotional_offer_id": "b3c85265", "is_in_intro_offer_period": "true""#,
            "ineligible/offer-used/proven"
        ),
    ])
    func freeOfferCode(members: String, expected: String) throws {
        let answer = """
            [{"product_id": "basic", "transaction_id": "1", "purchase_date_ms": 1777626000000,
              "expires_date_ms": 1780304400000, "is_trial_period": "true", \(members)}]
            """
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-06-02")))[0]
        #expect(verdict.introductoryOffer.short == expected)
    }

    // Old answers name no group, so that only the catalog has the group of the upgraded period and of its successor.
    @Test(arguments: ["", #", "subscription_group_identifier": "21590001""#])
    func upgradedPeriodEndsAtItsSuccessor(group: String) throws {
        // A year from 2025-12-01, and a month from 2026-03-01.
        let answer = """
            [{"product_id": "pro", "transaction_id": "1", "purchase_date_ms": 1764579600000,
              "expires_date_ms": 1796115600000, "is_upgraded": "true"\(group)},
             {"product_id": "basic", "transaction_id": "2", "original_transaction_id": "1",
              "purchase_date_ms": 1772355600000, "expires_date_ms": 1775034000000\(group)}]
            """
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-06-02")))[0]
        #expect(verdict.introductoryOffer.rule == .lapsed)
        #expect(verdict.subscription.kind == .lapsed)
    }

    // Old answers share subscriptions with the family, but name no group.
    @Test(arguments: ["", #", "subscription_group_identifier": "21590001""#])
    func sharedSubscriptionMayHaveRenewed(group: String) throws {
        let answer = """
            {"receipt": {"in_app": [], "request_date_ms": "1772355600000"}, "latest_receipt_info": [
             {"product_id": "basic", "transaction_id": "2", "original_transaction_id": "2", "in_app_ownership_type": "FAMILY_SHARED",
              "purchase_date_ms": "1772000000000", "expires_date_ms": "1775034000000"\(group)}]}
            """
        let rules = OfferRules(catalog: catalog, policies: OfferPolicies(staleEvidence: .undetermined))
        let offer = rules.verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-06-02")))[0]
            .introductoryOffer
        #expect(offer.short == "undetermined/never-subscribed/-")
        #expect(offer.caveats == [.familyShared])
    }

    // group in the response, rule for its product, which no catalog lists
    @Test(arguments: [
        (#""21590001""#, OfferRuleID.lapsed), ("21590001", .lapsed), (#""""#, .unknownProduct),
        (#""0""#, .unknownProduct), ("null", .unknownProduct),
    ])
    func groupOfTheAnswer(group: String, rule: OfferRuleID) throws {
        let bought = Self.transaction.dropLast().replacing(#""true""#, with: "false")
        let answer = #"[\#(bought), "subscription_group_identifier": \#(group)}]"#
        let verdict = OfferRules(catalog: .empty).verdicts(
            for: ["basic"], in: try PurchaseHistory(trusting: answer.utf8), asOf: .date(at("2026-07-01")))[0]
        #expect(verdict.introductoryOffer.rule == rule)
        #expect(verdict.subscriptionGroup == (rule == .lapsed ? "21590001" : nil))
    }

    @Test(arguments: [
        ("", "", JSONFault.truncated),
        ("{}", "", .unknownFormat),
        (#"{"status": 21003}"#, "status", .unexpectedValue("21003")),
        (#"{"status": \#(String(repeating: "9", count: 1025))}"#, "status", .tooLong(limit: 1024)),
        (#"{"status": 21007, "latest_receipt_info": []}"#, "status", .unexpectedValue("21007")),
        (#"[{"transaction_id": "1"}]"#, "[0].product_id", .missing("product_id")),
        (
            #"[{"product_id": "a"}, {"product_id": "b", "expires_date_ms": "soon"}]"#, "[1].expires_date_ms",
            .invalidDate
        ),
        (
            #"{"latest_receipt_info": [{"product_id": "b", "purchase_date": "2026-02-30 00:00:00 Etc/GMT"}]}"#,
            "latest_receipt_info[0].purchase_date", .invalidDate
        ),
        (
            #"[{"product_id": "a", "purchase_date_ms": "9223372036854775807"}]"#, "[0].purchase_date_ms",
            .invalidDate
        ),
        (
            #"{"receipt": {"in_app": [{"product_id": "a", "is_trial_period": "perhaps"}]}}"#,
            "receipt.in_app[0].is_trial_period", .unexpectedValue("perhaps")
        ),
        (#"[{"product_id": ["a"]}]"#, "[0].product_id", .unexpectedKind(expected: .string, found: .array)),
        (#"["a"]"#, "[0]", .unexpectedKind(expected: .object, found: .string)),
        (#"{"receipt": []}"#, "receipt", .unexpectedKind(expected: .object, found: .array)),
        (#"[{"product_id": "a", "product_id": "b"}]"#, "[0].product_id", .duplicateMember),
        ("[] []", "", .trailingBytes),
    ])
    func badInput(answer: String, path: String, fault: JSONFault) {
        do {
            _ = try PurchaseHistory(trusting: answer.utf8)
            Issue.record("accepted")
        } catch {
            guard case .unreadable(let error) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.path == path)
            #expect(error.fault == fault)
        }
    }
}
