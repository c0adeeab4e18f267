import AppReceipt
import ReceiptForge
import Testing

@testable import OfferEligibility

/// From signed JWS to the facts that the rules ask for.
struct SignedHistoryTests {
    static let authority = Result { () throws(ForgeError) in try Authority.appStoreJWS() }

    static func verified(_ payload: JSONMembers) throws -> VerifiedObject {
        let authority = try authority.get()
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        return try verifier.verify(jws: try JWSRecipe(payload, authority: authority).forge(), for: .anyApp)
    }

    @Test func everyFactOfATransaction() throws {
        var payload = JSONMembers.transaction
        payload["offerType"] = "4"
        payload["offerIdentifier"] = #""back""#
        payload["offerDiscountType"] = #""FREE_TRIAL""#
        payload["isUpgraded"] = "true"
        payload["revocationDate"] = "1780000000000"
        let history = try PurchaseHistory(evidence: [Self.verified(payload)])
        #expect(history.count == 1)
        #expect(history.bundleID == "com.example.app")
        #expect(history.environment == .sandbox && history.realm == .custom)
        #expect(history.evidenceDate == Timestamp(millisecondsSince1970: 1_780_308_000_123))
        let facts = history.transactions[0]
        let texts = [facts.product, facts.id, facts.original, facts.offer, facts.group].map(history.string)
        #expect(
            texts == ["com.example.app.monthly", "2000000000000002", "2000000000000001", "back", "21000001"])
        #expect(facts.purchased == Timestamp(millisecondsSince1970: 1_779_267_600_000))
        #expect(facts.expires == Timestamp(millisecondsSince1970: 1_781_946_000_000))
        #expect(facts.cancelled == Timestamp(millisecondsSince1970: 1_780_000_000_000))
        #expect(facts.type == .autoRenewableSubscription)
        #expect(facts.isFree && facts.isUpgraded && !facts.usedOffer && facts.standing == .own)
    }

    // offerType, offerDiscountType: an introductory offer used, a paid period, a redeemed name.
    @Test(
        arguments: [
            (nil, nil, false, true, nil), (1, "FREE_TRIAL", true, false, nil),
            (1, "PAY_UP_FRONT", true, true, nil),
            (1, nil, true, true, nil), (2, "PAY_AS_YOU_GO", false, true, "back"),
            (3, "FREE_TRIAL", false, false, "back"),
            (4, "FREE_TRIAL", false, false, "back"), (5, nil, false, true, nil),
        ] as [(Int?, String?, Bool, Bool, String?)])
    func offers(type: Int?, discount: String?, used: Bool, paid: Bool, redeemed: String?) throws {
        var payload = JSONMembers.transaction
        payload["offerType"] = type.map { "\($0)" }
        payload["offerDiscountType"] = discount.map { "\"\($0)\"" }
        payload["offerIdentifier"] = #""back""#
        let history = try PurchaseHistory(evidence: [Self.verified(payload)])
        let facts = history.transactions[0]
        #expect(facts.usedOffer == used && facts.isUnpaid == !paid)
        #expect(history.string(facts.offer) == redeemed)
    }

    @Test func groupsThatNameNothing() throws {
        var payload = JSONMembers.transaction
        payload["subscriptionGroupIdentifier"] = #""0""#
        #expect(try PurchaseHistory(evidence: [Self.verified(payload)]).transactions[0].group == nil)
    }

    // Only PURCHASED and nothing are the customer's own.
    @Test(
        arguments: [
            (nil, .own), ("PURCHASED", .own), ("FAMILY_SHARED", .familyShared), ("ASSIGNED", .unknownOwner),
            ("purchased", .unknownOwner), ("", .unknownOwner),
        ] as [(String?, Transaction.Standing)])
    func ownership(type: String?, standing: Transaction.Standing) throws {
        var payload = JSONMembers.transaction
        payload["inAppOwnershipType"] = type.map { "\"\($0)\"" }
        let history = try PurchaseHistory(evidence: [Self.verified(payload)])
        #expect(history.transactions[0].standing == standing)
        #expect(history.coverage == .single)
    }

    @Test func everyFactOfRenewalInformation() throws {
        let history = try PurchaseHistory(evidence: [
            Self.verified(.renewalInfo), Self.verified(.notification()),
        ])
        let renewal = try #require(history.signed?.renewals.first)
        #expect(renewal.entry.productID == "com.example.app.monthly")
        #expect(renewal.entry.autoRenewProductID == "com.example.app.yearly")
        #expect(renewal.entry.originalTransactionID == "2000000000000001")
        #expect(renewal.entry.willRenew == true && renewal.entry.isInBillingRetry && !renewal.didNotRenew)
        #expect(renewal.entry.gracePeriodEnd == Timestamp(millisecondsSince1970: 1_781_946_000_000))
        #expect(renewal.winBackOffers == ["back", "again"])
        #expect(history.count == 0 && history.bundleID == "com.example.app")
    }
}
