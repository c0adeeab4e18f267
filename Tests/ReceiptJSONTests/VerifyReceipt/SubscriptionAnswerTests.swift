import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// The members `latest_receipt_info` and `pending_renewal_info`.
struct SubscriptionAnswerTests {
    /// The authority of the receipts, with a leaf that can sign a JWS.
    private static let authority = Result {
        try Authority.test { (profiles) throws(ForgeError) in profiles.leaf.key = try .generateEC(.p256) }
    }
    /// Purchases: 100 and 101 are one subscription, 300 is another, 200 is a consumable, and 400 names no
    /// original transaction.
    private static let content: ReceiptContent = {
        var nameless = VerifyReceiptAnswerTests.subscription(400, of: 0, bought: "2024-01-05T00:00:00Z")
        nameless.originalTransactionID = nil
        return .sandbox(purchases: [
            VerifyReceiptAnswerTests.subscription(100, of: 100, bought: "2024-03-01T00:00:00Z"),
            PurchaseContent(
                productID: "coins", transactionID: "200", purchaseDate: "2024-04-15T00:00:00Z", type: 1),
            VerifyReceiptAnswerTests.subscription(101, of: 100, bought: "2024-04-01T00:00:00Z"),
            VerifyReceiptAnswerTests.subscription(300, of: 300, bought: "2024-03-15T00:00:00Z"), nameless,
        ])
    }()

    private func answer(
        _ more: String = "", latest: VerifyReceiptEndpoint.LatestReceiptInfo = .leftOut
    ) throws -> VerifyReceiptAnswer {
        let tests = try VerifyReceiptAnswerTests()
        return try tests.endpoint(.sandbox, latest: latest).answer(
            to: AnswerFixtures.request(VerifyReceiptAnswerTests.receiptData(Self.content), more),
            at: VerifyReceiptAnswerTests.now)
    }

    private func list(_ name: String, _ answer: VerifyReceiptAnswer) throws -> [[String: String]]? {
        try AnswerFixtures.object(answer.body)[name] as? [[String: String]]
    }

    // MARK: - latest_receipt_info

    @Test func latestIsOmittedByDefault() throws {
        #expect(try list("latest_receipt_info", answer()) == nil)
    }

    /// Checks that `latest_receipt_info` lists all purchases of in_app, newest first. A receipt lists a
    /// consumable until it is finished.
    @Test func latestIsAsOfTheReceipt() throws {
        let answer = try answer(latest: .asOfReceipt)
        let latest = try #require(try list("latest_receipt_info", answer))
        #expect(latest.map { $0["transaction_id"] } == ["200", "101", "300", "100", "400"])
        let receipt = try #require(try AnswerFixtures.object(answer.body)["receipt"] as? [String: Any])
        let inApp = try #require(receipt["in_app"] as? [[String: String]])
        #expect(inApp.count == 5)
        #expect(latest.allSatisfy(inApp.contains))
    }

    /// Checks Apple's rule: "Only returned for receipts that contain auto-renewable subscriptions."
    @Test func withoutSubscriptionsThereIsNoLatest() throws {
        let tests = try VerifyReceiptAnswerTests()
        let content = ReceiptContent.sandbox(purchases: [
            PurchaseContent(
                productID: "coins", transactionID: "200", purchaseDate: "2024-04-15T00:00:00Z", type: 1)
        ])
        let answer = try tests.endpoint(.sandbox, latest: .asOfReceipt).answer(
            to: AnswerFixtures.request(VerifyReceiptAnswerTests.receiptData(content)),
            at: VerifyReceiptAnswerTests.now)
        #expect(answer.status == .valid)
        #expect(try list("latest_receipt_info", answer) == nil)
    }

    @Test(arguments: [
        ("true", ["200", "101", "300", "400"]), ("false", ["200", "101", "300", "100", "400"]),
        ("null", ["200", "101", "300", "100", "400"]),
    ])
    func oldTransactionsAreExcluded(flag: String, ids: [String]) throws {
        let answer = try answer(#","exclude-old-transactions":\#(flag)"#, latest: .asOfReceipt)
        #expect(try list("latest_receipt_info", answer)?.map { $0["transaction_id"] } == ids)
        // in_app always lists the receipt's purchases.
        let receipt = try AnswerFixtures.object(answer.body)["receipt"] as? [String: Any]
        #expect((receipt?["in_app"] as? [Any])?.count == 5)
    }

    // MARK: - pending_renewal_info

    /// Returns sandbox renewal information of subscription 100, signed on 2024-05-01.
    private static func renewal(_ change: (inout JSONMembers) -> Void = { _ in }) throws -> String {
        var payload: JSONMembers = [
            "originalTransactionId": #""100""#, "productId": #""com.example.forge.monthly""#,
            "autoRenewProductId": #""com.example.forge.yearly""#, "autoRenewStatus": "1",
            "signedDate": "1714521600000", "environment": #""Sandbox""#,
        ]
        change(&payload)
        return try JWSRecipe(payload, authority: authority.get()).forge()
    }

    private func pending(_ texts: [String]) throws -> [[String: String]]? {
        let answer = try answer(member(texts))
        #expect(answer.status == .valid, "\(String(describing: answer.refusal))")
        return try list("pending_renewal_info", answer)
    }

    private func member(_ texts: [String]) -> String {
        #","signed-renewal-info":[\#(texts.map { "\"\($0)\"" }.joined(separator: ","))]"#
    }

    @Test func everyMemberOfARenewal() throws {
        let text = try Self.renewal { payload in
            payload["expirationIntent"] = "2"
            payload["isInBillingRetryPeriod"] = "true"
            payload["gracePeriodExpiresDate"] = "1717236000123"
            payload["priceIncreaseStatus"] = "0"
            payload["offerType"] = "2"
            payload["offerIdentifier"] = #""summer""#
        }
        let answer = try answer(member([text]))
        let expected = #"""
            ,"pending_renewal_info":[{"expiration_intent":"2",
            "grace_period_expires_date":"2024-06-01 10:00:00 Etc/GMT","grace_period_expires_date_ms":"1717236000123",
            "grace_period_expires_date_pst":"2024-06-01 03:00:00 America/Los_Angeles",
            "auto_renew_product_id":"com.example.forge.yearly","original_transaction_id":"100",
            "is_in_billing_retry_period":"1","product_id":"com.example.forge.monthly","auto_renew_status":"1",
            "price_increase_status":"0","promotional_offer_id":"summer"}]}
            """#
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(body.hasSuffix(expected.replacing("\n", with: "")), "\(body)")
    }

    /// Checks StoreKit's Transaction.Offer.id: for an offer code it is the reference name.
    @Test func offerCodesHaveTheirReferenceName() throws {
        let text = try Self.renewal { payload in
            (payload["offerType"], payload["offerIdentifier"]) = ("3", #""CODE""#)
        }
        let renewal = try #require(try pending([text])?.first)
        #expect(renewal["offer_code_ref_name"] == "CODE")
        #expect(renewal["promotional_offer_id"] == nil)
    }

    /// Checks genuine renewal information that does not concern the receipt's subscriptions.
    @Test(arguments: [
        ("of another subscription", "originalTransactionId", #""500""#),
        ("of a consumable", "originalTransactionId", #""200""#),
        ("of none", "originalTransactionId", nil),
        // 101 was purchased on 2024-04-01
        ("signed before the last period", "signedDate", "1711929599999"),
    ])
    func unrelatedRenewalInformationIsIgnored(why: String, member: String, value: String?) throws {
        #expect(try pending([Self.renewal { $0[member] = value }]) == nil)
    }

    @Test func signedWhenThePeriodWasBought() throws {
        #expect(try pending([Self.renewal { $0["signedDate"] = "1711929600000" }])?.count == 1)
    }

    /// Checks that the order of renewal information has no effect. The newest counts, and of equal dates the
    /// renewing one. Subscriptions keep the receipt's order.
    @Test func orderOfRenewalInformationHasNoEffect() throws {
        let texts = try [
            Self.renewal { $0["autoRenewStatus"] = "0" }, Self.renewal(),
            Self.renewal { ($0["signedDate"], $0["autoRenewProductId"]) = ("1714521599999", #""old""#) },
            Self.renewal {
                ($0["originalTransactionId"], $0["autoRenewProductId"]) = (#""300""#, #""other""#)
            },
        ]
        for rotation in texts.indices {
            let rotated = Array(texts[rotation...] + texts[..<rotation])
            for order in [rotated, rotated.reversed()] {
                let list = try #require(try pending(order))
                #expect(list.map { $0["auto_renew_product_id"] } == ["com.example.forge.yearly", "other"])
                #expect(list.map { $0["auto_renew_status"] } == ["1", "1"])
            }
        }
    }

    /// Checks that one refused element fails the whole request, so that no element is ignored silently.
    @Test func invalidRenewalInformationIsRefused() throws {
        let tampered = try Self.renewal().replacing(".", with: ".e", maxReplacements: 1)
        let untrusted = try JWSRecipe(.renewalInfo, authority: .appStoreJWS()).forge()
        let production = try Self.renewal { $0["environment"] = #""Production""# }
        let nowhere = try Self.renewal { $0["environment"] = nil }
        let transaction = try JWSRecipe(.transaction, authority: Self.authority.get()).forge()
        let receipt = try VerifyReceiptAnswerTests.receiptData(Self.content)
        for (text, status) in [
            (tampered, 21002), (untrusted, 21003), (production, 21003), (nowhere, 21003),
            (transaction, 21002),
            (receipt, 21002), ("", 21002),
        ] {
            let answer = try answer(member([Self.renewal(), text]))
            #expect(answer.status.rawValue == status, "\(String(describing: answer.refusal))")
            #expect(answer.refusal?.field?.hasPrefix("signed-renewal-info[1]") == true)
        }
    }

    @Test func numberOfObjectsIsLimited() throws {
        let text = try Self.renewal()
        let most = VerifyReceiptEndpoint.maximumRenewalInfos
        #expect(try pending(Array(repeating: text, count: most))?.count == 1)
        let answer = try answer(member(Array(repeating: text, count: most + 1)))
        #expect(answer.status == .malformed)
        #expect(answer.refusal?.field == "signed-renewal-info[\(most)]")
    }
}
