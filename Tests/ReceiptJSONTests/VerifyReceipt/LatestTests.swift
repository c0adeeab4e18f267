import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// The `latest` member of a request: signed transactions in addition to a sandbox receipt that was created on
/// 2024-05-01.
struct LatestTests {
    private static let authority = Result {
        try Authority.test { (profiles) throws(ForgeError) in profiles.leaf.key = try .generateEC(.p256) }
    }
    private static let app = "com.example.forge"
    private static let content: ReceiptContent = {
        var trial = VerifyReceiptAnswerTests.subscription(100, of: 100, bought: "2024-03-01T00:00:00Z")
        trial.isTrialPeriod = true
        trial.cancellationDate = "2024-03-20T00:00:00Z"
        var content = ReceiptContent.sandbox(purchases: [
            trial,
            PurchaseContent(
                productID: "coins", transactionID: "200", purchaseDate: "2024-04-15T00:00:00Z", type: 1),
            VerifyReceiptAnswerTests.subscription(101, of: 100, bought: "2024-04-01T00:00:00Z"),
        ])
        content.bundleID = app
        content.creationDate = "2024-05-01T00:00:00Z"
        return content
    }()

    /// Returns a transaction of the receipt's app: a renewal that was purchased and signed on 2024-06-01.
    private static func payload(_ id: String, of original: String = "100") -> JSONMembers {
        [
            "transactionId": "\"\(id)\"", "originalTransactionId": "\"\(original)\"",
            "bundleId": "\"\(app)\"", "productId": #""com.example.forge.monthly""#,
            "subscriptionGroupIdentifier": #""21000001""#, "purchaseDate": "1717200000000",
            "originalPurchaseDate": "1709251200000", "expiresDate": "1719792000000", "quantity": "1",
            "type": #""Auto-Renewable Subscription""#, "inAppOwnershipType": #""PURCHASED""#,
            "signedDate": "1717200000000", "environment": #""Sandbox""#,
        ]
    }

    private static func jws(
        _ id: String, of original: String = "100", _ change: (inout JSONMembers) -> Void = { _ in }
    ) throws -> String {
        var payload = payload(id, of: original)
        change(&payload)
        return try JWSRecipe(payload, authority: authority.get()).forge()
    }

    private static func renewal(
        _ original: String, signed: String = "1717300000000", end: String? = nil
    ) throws -> String {
        var payload: JSONMembers = [
            "originalTransactionId": "\"\(original)\"", "autoRenewProductId": #""com.example.forge.yearly""#,
            "autoRenewStatus": "1", "signedDate": signed, "environment": #""Sandbox""#,
        ]
        payload["renewalDate"] = end
        return try JWSRecipe(payload, authority: authority.get()).forge()
    }

    private func answer(
        _ elements: [String], _ more: String = "", content: ReceiptContent = Self.content
    ) throws -> VerifyReceiptAnswer {
        let latest = elements.map { $0.hasPrefix("{\"") ? $0 : "\"\($0)\"" }.joined(separator: ",")
        return try VerifyReceiptAnswerTests().endpoint(.sandbox).answer(
            to: AnswerFixtures.request(
                VerifyReceiptAnswerTests.receiptData(content), ",\"latest\":[\(latest)]\(more)"),
            at: VerifyReceiptAnswerTests.now)
    }

    private func list(
        _ elements: [String], _ name: String = "latest_receipt_info", _ more: String = ""
    ) throws -> [[String: String]] {
        let answer = try answer(elements, more)
        #expect(answer.status == .valid, "\(String(describing: answer.refusal))")
        return try AnswerFixtures.object(answer.body)[name] as? [[String: String]] ?? []
    }

    private func ids(_ elements: [String], _ more: String = "") throws -> [String?] {
        try list(elements, "latest_receipt_info", more).map { $0["transaction_id"] }
    }

    // MARK: - Lists

    @Test func renewalsAfterTheReceiptComeFirst() throws {
        #expect(try ids([Self.jws("102")]) == ["102", "200", "101", "100"])
        #expect(try ids([Self.jws("102")], #","exclude-old-transactions":true"#) == ["102", "200"])
        // in_app contains only the receipt's purchases.
        let object = try AnswerFixtures.object(try answer([Self.jws("102")]).body)
        #expect(((object["receipt"] as? [String: Any])?["in_app"] as? [Any])?.count == 3)
    }

    /// Checks that transactions with the identifier "0" are not merged, because "0" names no transaction.
    @Test func transactionsWithoutAnIdentifierAreNotMerged() throws {
        let other = try Self.jws("0") { $0["purchaseDate"] = "1717100000000" }
        #expect(try ids([Self.jws("0"), other]) == ["0", "0", "200", "101", "100"])
        #expect(try ids([other, Self.jws("0")]) == ["0", "0", "200", "101", "100"])
    }

    // A period of the receipt under another ID, as after a restoration on another device; the signing date, and what the list has.
    @Test(
        arguments: [
            // Newer than the receipt: the refund counts, under the new ID.
            ("1717200000000", ["200", "901", "100"], "2024-04-20T00:00:00Z"),
            // Older: the receipt counts.
            ("1712000000000", ["200", "101", "100"], nil),
        ] as [(String, [String], String?)])
    func restoredPeriodIsListedOnce(signed: String, expected: [String], cancelled: String?) throws {
        let other = try Self.jws("901") { payload in
            payload["purchaseDate"] = "1711929600000"
            payload["expiresDate"] = "1714521600000"
            payload["signedDate"] = signed
            if cancelled != nil { payload["revocationDate"] = "1713571200000" }
        }
        let transactions = try list([other])
        #expect(transactions.map { $0["transaction_id"] } == expected)
        #expect(transactions[1]["cancellation_date"] == cancelled.map { _ in "2024-04-20 00:00:00 Etc/GMT" })
        let newest = try list([other], "latest_receipt_info", #","exclude-old-transactions":true"#)
        #expect(newest.map { $0["transaction_id"] } == Array(expected.prefix(2)))
    }

    /// Checks that signed transactions of one period are listed once, although the receipt has the ID of the older one.
    @Test(arguments: [(["901", "102"], "901"), (["101", "901"], "901"), (["901", "101"], "901")])
    func signedTransactionsOfOnePeriodAreListedOnce(ids: [String], expected: String) throws {
        let texts = try ids.map { id in
            try Self.jws(id) { payload in
                payload["purchaseDate"] = "1711929600000"
                payload["signedDate"] = id == expected ? "1717200000000" : "1717100000000"
                if id == expected { payload["revocationDate"] = "1713571200000" }
            }
        }
        let transactions = try list(texts)
        #expect(transactions.map { $0["transaction_id"] } == ["200", expected, "100"])
        #expect(transactions[1]["cancellation_date"] != nil)
    }

    // Facts that make it another period.
    @Test(arguments: [
        ("productId", #""com.example.forge.other""#), ("originalTransactionId", #""7""#),
        ("purchaseDate", "1711929601000"), ("type", #""Consumable""#),
    ])
    func otherPeriodsAreListed(member: String, value: String) throws {
        let other = try Self.jws("901") { payload in
            payload["purchaseDate"] = "1711929600000"
            payload[member] = value
        }
        #expect(try ids([other]).contains("101"))
    }

    @Test func anEmptyLatestListsTheReceipt() throws { #expect(try ids([]) == ["200", "101", "100"]) }

    @Test func nullMeansAbsent() throws {
        let answer = try VerifyReceiptAnswerTests().endpoint(.sandbox).answer(
            to: AnswerFixtures.request(
                VerifyReceiptAnswerTests.receiptData(Self.content), #","latest":null"#),
            at: VerifyReceiptAnswerTests.now)
        #expect(answer.status == .valid)
        #expect(try AnswerFixtures.object(answer.body)["latest_receipt_info"] == nil)
    }

    /// Checks each format in which Apple delivers transactions.
    @Test func formsOfLatest() throws {
        let (transaction, renewal) = (try Self.jws("102"), try Self.renewal("100"))
        let notification = try JWSRecipe(
            [
                "notificationType": #""DID_RENEW""#, "notificationUUID": #""u""#, "version": #""2.0""#,
                "signedDate": "1717200000000",
                "data":
                    #"{"bundleId":"\#(Self.app)","environment":"Sandbox","signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)"}"#,
            ], authority: Self.authority.get()
        ).forge()
        let history = #"{"signedTransactions":["\#(transaction)"],"hasMore":false}"#
        let statuses =
            #"{"data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)"}]}]}"#
        let quoted = String(decoding: try JSONEncoder().encode(history), as: UTF8.self).dropFirst().dropLast()
        for (form, renews) in [
            (transaction, false), (history, false), (String(quoted), false), (statuses, true),
            (notification, true), (#"{"signedPayload":"\#(notification)"}"#, true),
        ] {
            #expect(try ids([form]) == ["102", "200", "101", "100"], "\(form.prefix(40))")
            #expect(try list([form], "pending_renewal_info").count == (renews ? 1 : 0), "\(form.prefix(40))")
        }
    }

    @Test func everyMemberOfASignedTransaction() throws {
        let text = try Self.jws("102") { payload in
            payload["webOrderLineItemId"] = #""700""#
            payload["revocationDate"] = "1717236000123"
            payload["revocationReason"] = "1"
            payload["isUpgraded"] = "true"
            payload["offerType"] = "2"
            payload["offerIdentifier"] = #""summer""#
            payload["appAccountToken"] = #""3f2504e0-4f89-11d3-9a0c-0305e82c3301""#
        }
        let expected = """
            {"quantity":"1","product_id":"com.example.forge.monthly","transaction_id":"102",
            "original_transaction_id":"100","purchase_date":"2024-06-01 00:00:00 Etc/GMT",
            "purchase_date_ms":"1717200000000","purchase_date_pst":"2024-05-31 17:00:00 America/Los_Angeles",
            "original_purchase_date":"2024-03-01 00:00:00 Etc/GMT","original_purchase_date_ms":"1709251200000",
            "original_purchase_date_pst":"2024-02-29 16:00:00 America/Los_Angeles",
            "expires_date":"2024-07-01 00:00:00 Etc/GMT","expires_date_ms":"1719792000000",
            "expires_date_pst":"2024-06-30 17:00:00 America/Los_Angeles",
            "cancellation_date":"2024-06-01 10:00:00 Etc/GMT","cancellation_date_ms":"1717236000123",
            "cancellation_date_pst":"2024-06-01 03:00:00 America/Los_Angeles","cancellation_reason":"1",
            "web_order_line_item_id":"700","is_trial_period":"false","is_in_intro_offer_period":"false",
            "promotional_offer_id":"summer","is_upgraded":"true","in_app_ownership_type":"PURCHASED",
            "subscription_group_identifier":"21000001","app_account_token":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}
            """
        let body = String(decoding: try answer([text]).body, as: UTF8.self)
        #expect(body.contains("\"latest_receipt_info\":[" + expected.replacing("\n", with: "")), "\(body)")
    }

    /// Checks offerType and offerDiscountType against the trial, introductory and code members.
    @Test(arguments: [
        ("1", #""FREE_TRIAL""#, "true", "false", nil), ("1", #""PAY_AS_YOU_GO""#, "false", "true", nil),
        ("3", nil, "false", "false", "name"), ("4", nil, "false", "false", nil),
        // Apple's flag of free offer codes. Without the code beside it, the flag would mean a trial.
        ("3", #""FREE_TRIAL""#, "true", "false", "name"), ("4", #""FREE_TRIAL""#, "false", "false", nil),
    ])
    func offers(type: String, discount: String?, trial: String, intro: String, code: String?) throws {
        let text = try Self.jws("102") { payload in
            (payload["offerType"], payload["offerDiscountType"]) = (type, discount)
            if type != "1" { payload["offerIdentifier"] = #""name""# }
        }
        let first = try #require(try list([text]).first)
        #expect(first["is_trial_period"] == trial)
        #expect(first["is_in_intro_offer_period"] == intro)
        #expect(first["offer_code_ref_name"] == code)
        #expect(first["promotional_offer_id"] == nil)
    }

    /// Checks that a consumable is listed only if the receipt lists it. A signed transaction does not show
    /// whether it is finished.
    @Test(arguments: [
        (#""Consumable""#, false), (#""Non-Consumable""#, true), (#""Non-Renewing Subscription""#, true),
        // An unknown type may be a consumable.
        (#""Suite Of 2027""#, false), (nil, false),
    ])
    func kindsOfProducts(type: String?, isListed: Bool) throws {
        let text = try Self.jws("900", of: "900") { payload in
            payload["type"] = type
            (payload["expiresDate"], payload["subscriptionGroupIdentifier"]) = (nil, nil)
        }
        #expect(try ids([text]).contains("900") == isListed)
        #expect(try answer([text]).leftOut == (isListed ? [] : ["900"]))
    }

    /// Checks that an unknown type with an expiration date or a group is listed, because it is not a
    /// consumable.
    @Test(arguments: ["expiresDate", "subscriptionGroupIdentifier"])
    func unknownTypesWithAnEndOrAGroupAreListed(without member: String) throws {
        let text = try Self.jws("900", of: "900") { payload in
            (payload["type"], payload[member]) = (#""Suite Of 2027""#, nil)
        }
        #expect(try ids([text]).first == "900")
    }

    /// Checks that a consumable of the receipt stays listed, with newer data from the transaction.
    @Test func aConsumableOfTheReceiptStays() throws {
        let text = try Self.jws("200", of: "200") { payload in
            (payload["type"], payload["productId"]) = (#""Consumable""#, #""coins""#)
            (payload["expiresDate"], payload["revocationDate"]) = (nil, "1717236000000")
        }
        let coins = try list([text]).filter { $0["transaction_id"] == "200" }
        #expect(coins.count == 1)
        #expect(coins.first?["cancellation_date_ms"] == "1717236000000")
    }

    /// Checks that the answer names renewal information that fits no transaction, so that commands can report
    /// it.
    @Test func renewalInformationOfNoTransactionIsNamed() throws {
        let answer = try answer([Self.jws("300"), Self.renewal("100"), Self.renewal("777"), Self.renewal("")])
        #expect(answer.status == .valid)
        #expect(answer.unmatchedRenewals == ["", "777"])
        #expect(try self.answer([Self.renewal("100")]).unmatchedRenewals.isEmpty)
    }

    /// Checks that a request with `latest` gets a list even if the customer has no subscription.
    @Test func withoutSubscriptionsLatestIsListed() throws {
        var content = Self.content
        content.purchases = []
        let text = try Self.jws("900", of: "900") { payload in
            (payload["type"], payload["expiresDate"]) = (#""Non-Consumable""#, nil)
        }
        let answer = try answer([text], content: content)
        let list = try AnswerFixtures.object(answer.body)["latest_receipt_info"] as? [[String: String]]
        #expect(list?.map { $0["transaction_id"] } == ["900"])
    }

    // MARK: - Conflicting evidence

    /// Checks transactions signed before, in and after the second of the receipt's creation: whether the
    /// receipt's cancellation counts.
    @Test(arguments: [("1714521599999", true), ("1714521600000", false), ("1717200000000", false)])
    func newestEvidenceCounts(signed: String, isCancelled: Bool) throws {
        let text = try Self.jws("100") { $0["signedDate"] = signed }
        let told = try list([text]).filter { $0["transaction_id"] == "100" }
        #expect(told.count == 1)
        #expect((told.first?["cancellation_date"] != nil) == isCancelled)
        // A receipt contains neither member, so the transaction provides both.
        #expect(told.first?["subscription_group_identifier"] == "21000001")
        #expect(told.first?["in_app_ownership_type"] == "PURCHASED")
    }

    /// Checks an upgrade: the receipt has its date, the signed transaction has the flag.
    @Test func anUpgradeKeepsItsDate() throws {
        let text = try Self.jws("100") { $0["isUpgraded"] = "true" }
        let told = try #require(try list([text]).first { $0["transaction_id"] == "100" })
        #expect(told["is_upgraded"] == "true")
        #expect(told["cancellation_date_ms"] == "1710892800000")
    }

    /// Checks that the receipt's trial flag stays if the transaction omits the kind of introductory offer, as
    /// Xcode 15 and old signers do.
    @Test func trialFlagOfTheReceiptStays() throws {
        let text = try Self.jws("100") { $0["offerType"] = "1" }
        #expect(try list([text]).first { $0["transaction_id"] == "100" }?["is_trial_period"] == "true")
    }

    @Test func orderHasNoEffect() throws {
        let texts = try [
            Self.jws("102"), Self.jws("102") { $0["signedDate"] = "1717200000001" },
            Self.jws("102") {
                $0["signedDate"] = "1717200000001"; $0["expiresDate"] = "1719792000001"
            },
            // Of one period, they would be listed once.
            Self.jws("103", of: "103"), Self.jws("101") { $0["productId"] = #""com.example.forge.other""# },
            Self.renewal("100"),
            Self.renewal("100", signed: "1717300000001"),
        ]
        let bodies = Set(
            try texts.indices.flatMap { place in
                let rotated = Array(texts[place...] + texts[..<place])
                return try [rotated, rotated.reversed(), rotated + rotated].map { try answer($0).body }
            })
        #expect(bodies.count == 1)
        let told = try list(texts)
        #expect(told.map { $0["transaction_id"] } == ["102", "101", "103", "200", "100"])
        #expect(told.first?["expires_date_ms"] == "1719792000001")
    }

    // MARK: - pending_renewal_info

    /// Checks that renewal information counts for a subscription that only `latest` contains, unless it was
    /// signed before the purchase.
    @Test(arguments: [("500", "1717300000000", 1), ("500", "1717199999999", 0), ("600", "1717300000000", 0)])
    func renewalsOfLatest(original: String, signed: String, count: Int) throws {
        let texts = try [Self.jws("500", of: "500"), Self.renewal(original, signed: signed)]
        #expect(try list(texts, "pending_renewal_info").count == count)
    }

    /// Checks a renewal that was charged within the grace period: its purchase date is the former end. The information of that time
    /// counts no more.
    @Test(arguments: [("1717200000000", 0), ("1719792000000", 1)])
    func informationOfTheGracePeriod(end: String, count: Int) throws {
        let texts = try [Self.jws("500", of: "500"), Self.renewal("500", signed: "1717286400000", end: end)]
        #expect(try list(texts, "pending_renewal_info").count == count)
    }

    /// Checks two upgrades of one day. Only renewals are charged ahead.
    @Test func upgradeIsNoRenewal() throws {
        let newest = try Self.jws("500", of: "500") { payload in
            payload["isUpgraded"] = "true"
            payload["transactionReason"] = #""PURCHASE""#
        }
        let before = try Self.jws("501", of: "500", Self.isYearly)
        #expect(try ids([newest, before], #","exclude-old-transactions":true"#).first == "500")
    }

    /// Checks information from after a refund, which states the end of the period before.
    @Test(arguments: [("1717300000000", 1), ("1717250000000", 0)])
    func informationAfterARefund(signed: String, count: Int) throws {
        let refunded = try Self.jws("500", of: "500") { $0["revocationDate"] = "1717300000000" }
        let information = try Self.renewal("500", signed: signed, end: "1717200000000")
        #expect(try list([refunded, information], "pending_renewal_info").count == count)
    }

    // An upgrade after a renewal was charged ahead, which it replaced: stated by isUpgraded, by the cancellation date, by both, or not
    // at all in the transaction of the charge
    @Test(arguments: [
        ["isUpgraded": "true"], ["revocationDate": "1717190000000"],
        ["isUpgraded": "true", "revocationDate": "1717190000000"], ["signedDate": "1717180000000"],
    ])
    func upgradeAfterARenewalAheadOfItsTime(facts: [String: String]) throws {
        let replaced = try Self.jws("500", of: "500") { payload in
            for (name, value) in facts { payload[name] = value }
        }
        let successor = try Self.jws("501", of: "500", Self.isYearly)
        let old = try Self.renewal("500", signed: "1717180000000", end: "1719792000000")
        let new = try Self.renewal("500", signed: "1717190000000", end: "1748726000000")
        #expect(try list([replaced, successor, old], "pending_renewal_info").isEmpty)
        #expect(try list([replaced, successor, old, new], "pending_renewal_info").count == 1)
        #expect(
            try ids([replaced, successor], #","exclude-old-transactions":true"#).prefix(2) == ["501", "200"])
    }

    // Periods that did not replace a renewal: of the same product, already over, of another day. Then a renewal that nothing ended
    // before it began, and an upgraded period.
    @Test(arguments: [
        ("isUpgraded", "true", "productId", #""com.example.forge.monthly""#),
        ("isUpgraded", "true", "expiresDate", "1717200000000"),
        ("isUpgraded", "true", "purchaseDate", "1717110000000"),
        ("revocationDate", "1717300000000", "quantity", "1"), ("isUpgraded", "true", "isUpgraded", "true"),
    ])
    func otherPeriodsAreNoUpgrade(member: String, value: String, other: String, otherValue: String) throws {
        let newest = try Self.jws("500", of: "500") { $0[member] = value }
        let before = try Self.jws("501", of: "500") { payload in
            Self.isYearly(&payload)
            payload[other] = otherValue
        }
        #expect(try ids([newest, before], #","exclude-old-transactions":true"#).first == "500")
    }

    /// Makes a transaction one of the yearly product, bought before ``payload(_:of:)``.
    private static func isYearly(_ payload: inout JSONMembers) {
        payload["productId"] = #""com.example.forge.yearly""#
        payload["purchaseDate"] = "1717190000000"
        payload["expiresDate"] = "1748726000000"
    }

    // Renewal information from before the purchase date, with and without the new period's end; a day, and longer before.
    @Test(arguments: [
        ("1717178400000", "1719792000000", 1), ("1717178400000", "1717200000000", 0),
        ("1717113600000", "1719792000000", 1), ("1717113500000", "1719792000000", 0),
    ])
    func renewalAheadOfItsTime(signed: String, end: String, count: Int) throws {
        let texts = try [Self.jws("500", of: "500"), Self.renewal("500", signed: signed, end: end)]
        #expect(try list(texts, "pending_renewal_info").count == count)
    }

    // MARK: - Refusals

    /// Checks that an `appTransactionId` that names no Apple Account, as in Xcode, is not another customer's.
    @Test(arguments: ["0", ""])
    func idsOfNoCustomer(id: String) throws {
        let named = try Self.jws("102") { $0["appTransactionId"] = #""7""# }
        let unnamed = try Self.jws("103") { $0["appTransactionId"] = "\"\(id)\"" }
        #expect(try answer([named, unnamed]).status.rawValue == 0)
    }

    /// Checks that one refused object fails the whole request, and that the answer names it.
    @Test func badObjectsAreRefused() throws {
        let good = try Self.jws("102")
        let untrusted = try JWSRecipe(Self.payload("103"), authority: .appStoreJWS()).forge()
        let receipt = try VerifyReceiptAnswerTests.receiptData(Self.content)
        let appTransaction = try JWSRecipe(.appTransaction, authority: Self.authority.get()).forge()
        var other = JSONMembers.appTransaction
        (other["bundleId"], other["appTransactionId"]) = ("\"\(Self.app)\"", #""8""#)
        let ofOther = try JWSRecipe(other, authority: Self.authority.get()).forge()
        let rows: [(text: String, status: Int, code: String)] = try [
            // invalid or untrusted signatures
            (Self.jws("103").replacing(".", with: ".e", maxReplacements: 1), 21002, "malformed"),
            (Self.jws("103").dropLast(43) + String(repeating: "A", count: 43), 21003, "bad_signature"),
            (untrusted, 21003, "untrusted_chain"),
            // another app or environment, or none
            (Self.jws("103") { $0["bundleId"] = #""com.example.other""# }, 21003, "wrong_bundle_id"),
            (Self.jws("103") { $0["bundleId"] = nil }, 21003, "wrong_bundle_id"),
            (Self.jws("103") { $0["environment"] = #""Production""# }, 21003, "wrong_environment"),
            (Self.jws("103") { $0["environment"] = nil }, 21003, "wrong_environment"),
            // another customer
            (Self.jws("103") { $0["appTransactionId"] = #""8""# }, 21002, "malformed"),
            (#"{"signedTransactions":["\#(Self.jws("103"))","\#(ofOther)"]}"#, 21002, "malformed"),
            // not a transaction
            (receipt, 21002, "malformed"), (appTransaction, 21003, "wrong_bundle_id"),
            (#"{"signedTransactions":[]}"#, 21002, "malformed"), ("", 21002, "malformed"),
            (#"{"signedTransactions":[7]}"#, 21002, "malformed"),
        ]
        let first = try Self.jws("102") { $0["appTransactionId"] = #""7""# }
        for row in rows {
            let answer = try answer([good, first, row.text])
            let object = try AnswerFixtures.object(answer.body)
            let refusal = object["refusal"] as? [String: Any]
            #expect(object.count == 2, "\(row)")
            #expect(answer.status.rawValue == row.status, "\(row)")
            #expect(refusal?["code"] as? String == row.code, "\(row) \(String(describing: refusal))")
            #expect(
                (refusal?["field"] as? String)?.hasPrefix("latest[2]") == true,
                "\(String(describing: refusal))")
            #expect(refusal?["message"] as? String == answer.refusal?.message)
        }
    }

    /// Checks that objects in `latest` are compared with the expected appAppleId, like the receipt.
    /// Transactions contain none.
    @Test(arguments: [("1", VerifyReceiptAnswer.Status.valid), ("2", .notAuthenticated)])
    func otherAppAppleIDInLatestIsRefused(number: String, status: VerifyReceiptAnswer.Status) throws {
        var body: JSONMembers = [
            "bundleId": "\"\(Self.app)\"", "environment": #""Sandbox""#,
            "signedTransactionInfo": "\"\(try Self.jws("102"))\"",
        ]
        body["appAppleId"] = number
        var payload = JSONMembers.notification()
        payload["data"] = body.text
        let notification = try JWSRecipe(payload, authority: Self.authority.get()).forge()
        let endpoint = try VerifyReceiptAnswerTests().endpoint(
            .sandbox, for: .any.expecting(appAppleIDs: [1]))
        var content = Self.content
        content.appItemID = 1
        let answer = try endpoint.answer(
            to: AnswerFixtures.request(
                VerifyReceiptAnswerTests.receiptData(content), ",\"latest\":[\"\(notification)\"]"),
            at: VerifyReceiptAnswerTests.now)
        #expect(answer.status == status, "\(String(describing: answer.refusal))")
    }

    /// Checks values other than an array of strings and objects.
    @Test(arguments: ["7", #""x""#, "{}", "[7]", "[null]", "[[]]"])
    func invalidMembersAreRefused(value: String) throws {
        let answer = try VerifyReceiptAnswerTests().endpoint(.sandbox).answer(
            to: AnswerFixtures.request(
                VerifyReceiptAnswerTests.receiptData(Self.content), ",\"latest\":\(value)"),
            at: VerifyReceiptAnswerTests.now)
        #expect(answer.status == .malformed)
        #expect(answer.refusal?.field?.hasPrefix("latest") == true)
    }

    /// Checks that a refused receipt or a wrong password is reported before any fault in `latest`.
    @Test func receiptFaultsAreReportedFirst() throws {
        let request = AnswerFixtures.request("AAAA", #","latest":["x"]"#)
        let answer = try VerifyReceiptAnswerTests().endpoint(.sandbox).answer(
            to: request, at: VerifyReceiptAnswerTests.now)
        #expect(answer.body == Array(#"{"status":21002}"#.utf8))
        let locked = try VerifyReceiptAnswerTests().endpoint(.sandbox, password: .required("secret"))
        #expect(
            locked.answer(to: request, at: VerifyReceiptAnswerTests.now).body
                == Array(#"{"status":21004}"#.utf8))
    }

    /// Checks that the limit counts all objects in `latest`, including those in lists.
    @Test func numberOfObjectsIsLimited() throws {
        let text = try Self.jws("102")
        let most = VerifyReceiptEndpoint.maximumLatestObjects
        let history = { (count: Int) in
            #"{"signedTransactions":[\#(Array(repeating: "\"\(text)\"", count: count).joined(separator: ","))]}"#
        }
        #expect(try ids([history(most)]) == ["102", "200", "101", "100"])
        for elements in [[history(most + 1)], [history(most), text]] {
            let answer = try answer(elements)
            #expect(answer.status == .malformed)
            #expect(answer.refusal?.code == .tooLarge)
        }
        #expect(try answer(Array(repeating: "", count: most + 1)).refusal?.field == "latest[\(most)]")
    }
}
