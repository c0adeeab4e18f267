import AppReceipt
import ReceiptForge
import Testing

@testable import OfferEligibility

/// The path from signed JWS to the facts that the rules use.
struct SignedHistoryTests {
    static let authority = Result { () throws(ForgeError) in try Authority.appStoreJWS() }

    static func verified(_ payload: JSONMembers) throws -> VerifiedObject {
        let authority = try authority.get()
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        return try verifier.verify(jws: try JWSRecipe(payload, authority: authority).forge(), for: .any)
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
        #expect(history.environment == .sandbox)
        #expect(history.realm == .custom)
        #expect(history.evidenceDate == Timestamp(millisecondsSince1970: 1_780_308_000_123))
        let facts = history.transactions[0]
        let texts = [facts.product, facts.id, facts.original, facts.offer, facts.group].map(history.string)
        #expect(
            texts == ["com.example.app.monthly", "2000000000000002", "2000000000000001", "back", "21000001"])
        #expect(facts.purchased == Timestamp(millisecondsSince1970: 1_779_267_600_000))
        #expect(facts.expires == Timestamp(millisecondsSince1970: 1_781_946_000_000))
        #expect(facts.cancelled == Timestamp(millisecondsSince1970: 1_780_000_000_000))
        #expect(facts.type == .autoRenewableSubscription)
        #expect(facts.isFree == true)
        #expect(facts.isUpgraded)
        #expect(!facts.usedOffer)
        #expect(facts.standing == .own)
    }

    // offerType, offerDiscountType, used introductory offer, paid period, redeemed identifier
    @Test(
        arguments: [
            (nil, nil, false, true, nil), (1, "FREE_TRIAL", true, false, nil),
            (1, "PAY_UP_FRONT", true, true, nil),
            // Without the type of the discount, the period may be free.
            (1, nil, true, nil, nil), (2, "PAY_AS_YOU_GO", false, true, "back"),
            (3, "FREE_TRIAL", false, false, "back"),
            (4, "FREE_TRIAL", false, false, "back"), (4, "ONE_TIME", false, true, "back"),
            (5, nil, false, nil, nil), (2, "COMPLIMENTARY", false, nil, "back"),
        ] as [(Int?, String?, Bool, Bool?, String?)])
    func offers(type: Int?, discount: String?, used: Bool, paid: Bool?, redeemed: String?) throws {
        var payload = JSONMembers.transaction
        payload["offerType"] = type.map { "\($0)" }
        payload["offerDiscountType"] = discount.map { "\"\($0)\"" }
        payload["offerIdentifier"] = #""back""#
        let history = try PurchaseHistory(evidence: [Self.verified(payload)])
        let facts = history.transactions[0]
        #expect(facts.usedOffer == used)
        #expect(facts.isFree == paid.map { !$0 })
        #expect(history.string(facts.offer) == redeemed)
    }

    // offerType, the member beside it, introductory answer about an ended subscription; Apple documents 1 to 4
    @Test(
        arguments: [
            (nil, nil, "eligible/lapsed/as_of_receipt"), (1, nil, "ineligible/offer-used/proven"),
            (2, nil, "eligible/lapsed/as_of_receipt"), (4, nil, "eligible/lapsed/as_of_receipt"),
            (0, nil, "undetermined/uncatalogued-history/-"), (5, nil, "undetermined/uncatalogued-history/-"),
            (-1, nil, "undetermined/uncatalogued-history/-"),
            (4, ("offerDiscountType", "FREE_TRIAL"), "eligible/lapsed/as_of_receipt"),
            // An offer, but of which type?
            (nil, ("offerDiscountType", "FREE_TRIAL"), "undetermined/uncatalogued-history/-"),
            (nil, ("offerIdentifier", "back"), "undetermined/uncatalogued-history/-"),
            (nil, ("offerIdentifier", ""), "eligible/lapsed/as_of_receipt"),
        ] as [(Int?, (name: String, value: String)?, String)])
    func unknownOfferTypeLeavesTheIntroductoryOfferUndetermined(
        type: Int?, member: (name: String, value: String)?, answer: String
    ) throws {
        var payload = JSONMembers.transaction
        payload["offerType"] = type.map { "\($0)" }
        if let member { payload[member.name] = "\"\(member.value)\"" }
        let verdict = OfferRules(catalog: .empty).verdicts(
            for: ["com.example.app.monthly"], in: try PurchaseHistory(evidence: [Self.verified(payload)]),
            asOf: .date(at("2026-07-10")))[0]
        #expect(verdict.introductoryOffer.short == answer)
        #expect(verdict.introductoryOffer.transactions == ["2000000000000002"])
        #expect(
            verdict.introductoryOffer.explanation.contains("an offer of an unknown type")
                == (verdict.introductoryOffer.outcome == .undetermined))
        #expect(verdict.promotionalOffer.short == "eligible/current-or-lapsed-subscriber/proven")
    }

    // revocationReason, revocationType, introductory answer about a revoked subscription
    @Test(
        arguments: [
            ("0", nil, "ineligible/refunded/as_of_receipt"),
            (nil, "REFUND_FULL", "ineligible/refunded/as_of_receipt"),
            ("1", "REFUND_PRORATED", "ineligible/refunded/as_of_receipt"),
            ("0", "FAMILY_REVOKE", "ineligible/refunded/as_of_receipt"),
            ("0", "", "ineligible/refunded/as_of_receipt"),
            // Apple documents no other types.
            ("0", "UPGRADED_TO_BUNDLE", "undetermined/uncatalogued-history/-"),
            (nil, "UPGRADED_TO_BUNDLE", "undetermined/uncatalogued-history/-"),
        ] as [(String?, String?, String)])
    func unknownRevocationLeavesTheIntroductoryOfferUndetermined(
        reason: String?, type: String?, answer: String
    ) throws {
        var payload = JSONMembers.transaction
        (payload["revocationDate"], payload["revocationReason"]) = ("1780000000000", reason)
        payload["revocationType"] = type.map { "\"\($0)\"" }
        let verdict = OfferRules(catalog: .empty).verdicts(
            for: ["com.example.app.monthly"], in: try PurchaseHistory(evidence: [Self.verified(payload)]),
            asOf: .date(at("2026-07-10")))[0]
        #expect(verdict.introductoryOffer.short == answer)
    }

    /// Checks that duplicate evidence counts once, although a transaction without an identifier is never
    /// merged.
    @Test(arguments: [JSONMembers.transaction, .renewalInfo, .appTransaction])
    func duplicateEvidenceCountsOnce(payload: JSONMembers) throws {
        var payload = payload
        if payload["transactionId"] != nil { payload["transactionId"] = #""0""# }
        func summary(_ evidence: [VerifiedObject]) throws -> VerdictSummary {
            let verdict = OfferRules(catalog: .empty).verdicts(
                for: ["com.example.app.monthly"], in: try PurchaseHistory(evidence: evidence),
                asOf: .date(at("2026-07-10")))
            return VerdictSummary(verdict[0])
        }
        let object = try Self.verified(payload)
        // Signed again, with another signature.
        #expect(try summary([object, Self.verified(payload), object]) == summary([object]))
    }

    /// Checks that a duplicate of a receipt does not change the verdict. The code for several objects differs
    /// from the code for a single receipt.
    @Test func duplicateReceiptIsOneReceipt() throws {
        var purchase = PurchaseContent.subscription(
            productID: "basic", transactionID: "1", purchaseDate: "2026-05-01T09:00:00Z",
            expiresDate: "2026-06-01T09:00:00Z")
        purchase.isTrialPeriod = false
        var content = ReceiptContent(bundleID: "com.example.app")
        (content.creationDate, content.purchases) = ("2026-06-05T09:00:00Z", [purchase])
        let authority = try Authority.test()
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let receipt = try verifier.verify(
            signedObject: try ReceiptRecipe(content, authority: authority).forge().bytes, for: .any)
        for asOf in ["2026-05-20", "2026-06-10"] {
            let summaries = try [[receipt], [receipt, receipt]].map { evidence in
                OfferRules(catalog: catalog).verdicts(
                    for: ["basic"], in: try PurchaseHistory(evidence: evidence), asOf: .date(at(asOf))
                ).map(VerdictSummary.init)
            }
            #expect(summaries[0] == summaries[1])
        }
    }

    /// Checks that the indices are those of the evidence that the caller passed.
    @Test func errorNamesTheIndicesOfTheEvidence() throws {
        var other = JSONMembers.transaction
        other["bundleId"] = #""com.example.other""#
        let evidence = try [JSONMembers.transaction, .transaction, .transaction, other].map(Self.verified)
        let error = #expect(throws: HistoryMergeError.self) { try PurchaseHistory(evidence: evidence) }
        guard case .differentApps(let first, let second) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((first.index, second.index) == (0, 3))
    }

    // appTransactionId of two objects; an absent one, or that of Xcode, names no account
    @Test(
        arguments: [
            ("7001", "7001", true), ("7001", nil, true), ("7001", "0", true), ("7001", "", true),
            ("7001", "7002", false),
        ] as [(String, String?, Bool)])
    func accountsAreNotMerged(first: String, second: String?, isMerged: Bool) throws {
        let evidence = try [JSONMembers.transaction, .renewalInfo].enumerated().map { index, payload in
            var payload = payload
            payload["appTransactionId"] = (index == 0 ? first : second).map { "\"\($0)\"" }
            return try Self.verified(payload)
        }
        guard !isMerged else {
            #expect(try PurchaseHistory(evidence: evidence).count == 1)
            return
        }
        let error = #expect(throws: HistoryMergeError.self) { try PurchaseHistory(evidence: evidence) }
        guard case .differentAccounts(let one, let other) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect([one.value, other.value] == [first, second])
        let histories = try evidence.map { try PurchaseHistory(evidence: [$0]) }
        #expect(throws: HistoryMergeError.self) { try PurchaseHistory(merging: histories) }
    }

    // offerType of the next period, whether it may be an introductory offer
    @Test(
        arguments: [(nil, false), (1, true), (2, false), (3, false), (4, false), (5, true)] as [(Int?, Bool)])
    func offerTypeOfRenewalInformation(type: Int?, mayBeIntroductory: Bool) throws {
        var payload = JSONMembers.renewalInfo
        payload["offerType"] = type.map { "\($0)" }
        guard case .renewalInfo(let information) = try Self.verified(payload) else {
            Issue.record("not renewal information")
            return
        }
        #expect(SignedRenewal(information).mayBeIntroductory == mayBeIntroductory)
    }

    @Test func emptyGroupsAreIgnored() throws {
        var payload = JSONMembers.transaction
        payload["subscriptionGroupIdentifier"] = #""0""#
        #expect(try PurchaseHistory(evidence: [Self.verified(payload)]).transactions[0].group == nil)
    }

    // Only PURCHASED and an absent value are the customer's own.
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
        #expect(renewal.entry.willRenew == true)
        #expect(renewal.entry.isInBillingRetry)
        #expect(!renewal.didNotRenew)
        #expect(renewal.entry.gracePeriodEnd == Timestamp(millisecondsSince1970: 1_781_946_000_000))
        #expect(renewal.winBackOffers == ["back", "again"])
        #expect(history.count == 0)
        #expect(history.bundleID == "com.example.app")
    }
}
