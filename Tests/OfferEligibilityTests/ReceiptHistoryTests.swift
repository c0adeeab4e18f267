import AppReceipt
import ReceiptForge
import Testing

@testable import OfferEligibility

/// The path from signed bytes to a verdict.
struct ReceiptHistoryTests {
    static func receipt(
        _ purchases: [PurchaseContent], created: String = "2026-06-01T10:00:00Z"
    ) throws -> VerifiedReceipt {
        var content = ReceiptContent(purchases: purchases)
        content.creationDate = created
        let forged = try ReceiptRecipe(content, authority: try .test()).forge()
        return try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes, for: .any)
    }

    static func period(_ id: String, cancelled: String = "") -> PurchaseContent {
        var purchase = PurchaseContent.subscription(
            productID: "basic", transactionID: id, originalTransactionID: "6",
            purchaseDate: "2026-05-01T09:00:00Z", expiresDate: "2026-06-01T09:00:00Z")
        purchase.cancellationDate = cancelled
        return purchase
    }

    @Test func everyFactOfAPurchase() throws {
        var trial = Self.period("7", cancelled: "2026-05-02T09:00:00Z")
        trial.isTrialPeriod = true
        trial.isInIntroOfferPeriod = nil
        trial.promotionalOfferIdentifier = "BACK"
        let coins = PurchaseContent(
            productID: "coins", transactionID: "8", purchaseDate: "2026-05-03T09:00:00Z", type: 1)
        let history = PurchaseHistory(try Self.receipt([trial, coins]))

        #expect(history.evidenceDate == at("2026-06-01T10:00:00Z"))
        #expect(history.bundleID == "com.example.forge")
        #expect(history.environment == .production)
        #expect(history.realm == .custom)
        let bought = try #require(history.transactions.first { $0.hasUnknownOffer })
        // With an identifier, the trial flag is that of another free offer.
        #expect(bought.isTrial == false)
        #expect(bought.isFree == true)
        #expect(history.string(bought.product) == "basic")
        #expect(history.string(bought.id) == "7")
        #expect(history.string(bought.original) == "6")
        #expect(history.string(bought.offer) == "BACK")
        #expect(bought.purchased == at("2026-05-01"))
        #expect(bought.expires == at("2026-06-01"))
        #expect(bought.cancelled == at("2026-05-02"))
        #expect(bought.isIntro == nil)
        #expect(bought.isSubscription)
        let other = try #require(history.transactions.first { $0.type == .consumable })
        #expect(other.expires == nil)
        #expect(other.cancelled == nil)
        #expect(other.offer == nil)
        #expect(!other.isSubscription)
    }

    @Test func twoReceiptsOfOneCustomer() throws {
        let history = try PurchaseHistory([
            try Self.receipt([Self.period("7")], created: "2026-05-02T09:00:00Z"),
            try Self.receipt([Self.period("7", cancelled: "2026-05-09T09:00:00Z"), Self.period("9")]),
        ])
        #expect(history.count == 2)
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["basic"], in: history, asOf: .date(at("2026-06-02")))[0]
        #expect(verdict.introductoryOffer.rule == .refunded)
        #expect(verdict.introductoryOffer.transactions == ["7"])
    }
}
