import AppReceipt
import OfferEligibility
import ReceiptForge

extension Check {
    /// Signed and verified evidence of one customer. Its order must not matter. More evidence must not change
    /// a proven verdict, except through family sharing or Apple's group. Eight bytes describe each object.
    static let mixedHistory = Check(
        name: "mixed-history", form: .bytes, longest: 64,
        seeds: {
            var random = SplitMix64(seed: 0x4D49_58)
            return (1...24).map { count in
                (0..<(count % 8 + 1) * 8).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
            }
        }
    ) { bytes in
        let world = MixedWorld.shared
        let pieces = stride(from: 0, to: min(bytes.count, 64), by: 8).map { start in
            MixedWorld.Piece(Array(bytes[start...].prefix(8)))
        }
        let evidence = pieces.map(world.object)
        let mayTurn = pieces.contains(where: \.isException)
        do throws(HistoryMergeError) {
            let answer = try world.verdicts(evidence)
            let reversed = try world.verdicts(evidence.reversed())
            let fewer = try world.verdicts(Array(evidence.prefix(evidence.count / 2)))
            let description = answer.map(MixedWorld.describe).joined(separator: "\n")
            let fault =
                description != reversed.map(MixedWorld.describe).joined(separator: "\n")
                ? "the order of evidence matters"
                : !mayTurn && zip(fewer, answer).contains(where: MixedWorld.turns)
                    ? "more evidence changes a proven verdict" : nil
            return Outcome(answer: description, fault: fault)
        } catch {
            return Outcome(answer: "\(error)", fault: "evidence of one customer is not merged")
        }
    }
}

/// Two authorities that sign receipts and JWS of one customer.
private struct MixedWorld: Sendable {
    private let receipts: Authority
    private let jws: Authority
    private let verifier: ReceiptVerifier
    private let rules: OfferRules

    static let shared: MixedWorld = {
        do { return try MixedWorld() } catch { fatalError("\(error)") }
    }()

    private static let products = ["monthly", "yearly", "weekly", "retired"]

    private init() throws {
        receipts = try .test()
        jws = try .appStoreJWS()
        verifier = try ReceiptVerifier(
            anchors: .custom(receipts.root.certificate.der, jws.root.certificate.der))
        let catalog = #"{"groups": {"21": ["monthly", "yearly"], "22": ["weekly"]}}"#
        rules = OfferRules(catalog: try SubscriptionCatalog(parsing: catalog.utf8))
    }

    func verdicts(_ evidence: [VerifiedObject]) throws(HistoryMergeError) -> [ProductVerdict] {
        rules.verdicts(
            for: Self.products, in: try PurchaseHistory(evidence: evidence), asOf: .date(Self.date(40)))
    }

    static func describe(_ verdict: ProductVerdict) -> String {
        let offers = [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer].map {
            offer in
            "\(offer) \(offer.findings.map(\.name)) \(offer.transactions) \(offer.offers ?? []) \(offer.explanation)"
        }
        return "\(offers) \(verdict.subscription) \(verdict.subscriptionGroup ?? "-")"
    }

    static func turns(_ fewer: ProductVerdict, _ more: ProductVerdict) -> Bool {
        let offers = [
            (fewer.introductoryOffer, more.introductoryOffer),
            (fewer.promotionalOffer, more.promotionalOffer),
        ]
        return offers.contains { old, new in old.certainty == .proven && new.outcome != old.outcome }
    }

    /// A description of evidence in eight bytes. Missing bytes are zero.
    struct Piece {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes + Array(repeating: 0, count: 8 - bytes.count) }

        var isTransaction: Bool { bytes[0] % 4 > 1 }
        var isShared: Bool { isTransaction && bytes[7] & 0x0F == 0x0F }
        /// Whether Apple's group differs from the catalog's.
        var isMoved: Bool { isTransaction && bytes[7] & 0x70 == 0x70 }
        /// Whether this evidence may change a proven verdict.
        var isException: Bool { isShared || isMoved }
    }

    private static func date(_ day: UInt8) -> Timestamp {
        // A date in the 64 days from 2026-06-01.
        Timestamp(millisecondsSince1970: 1_780_272_000_000 + Int64(day % 64) * 86_400_000)
    }

    /// Returns the verified object that the bytes describe.
    func object(_ piece: Piece) -> VerifiedObject {
        do {
            switch piece.bytes[0] % 4 {
            case 0:
                return .receipt(try verifier.verify(try receipt(piece.bytes).forge().bytes, for: .any))
            case 1: return try verifier.verify(jws: try forge(renewal(piece.bytes)), for: .any)
            default: return try verifier.verify(jws: try forge(transaction(piece)), for: .any)
            }
        } catch {
            fatalError("\(error)")
        }
    }

    private func forge(_ members: JSONMembers) throws(ForgeError) -> String {
        try JWSRecipe(members, authority: jws).forge()
    }

    private func product(_ byte: UInt8) -> String { Self.products[Int(byte) % Self.products.count] }

    private func receipt(_ bytes: [UInt8]) throws -> ReceiptRecipe {
        var purchase = PurchaseContent.subscription(
            productID: product(bytes[2]), transactionID: "\(bytes[3] % 6)", originalTransactionID: "1",
            purchaseDate: Self.date(bytes[4]).rfc3339, expiresDate: Self.date(bytes[5]).rfc3339)
        purchase.isTrialPeriod = bytes[6] & 1 == 1
        purchase.cancellationDate = bytes[6] & 6 == 6 ? Self.date(bytes[7]).rfc3339 : ""
        var content = ReceiptContent.sandbox(bundleID: "com.example.app", purchases: [purchase])
        content.creationDate = Self.date(bytes[1]).rfc3339
        return ReceiptRecipe(content, authority: receipts)
    }

    private func transaction(_ piece: Piece) -> JSONMembers {
        let bytes = piece.bytes
        func milliseconds(_ byte: UInt8) -> String { "\(Self.date(byte).millisecondsSince1970)" }
        let product = product(bytes[2])
        var members = JSONMembers.transaction
        members["signedDate"] = milliseconds(bytes[1])
        members["productId"] = "\"\(product)\""
        members["transactionId"] = "\"\(bytes[3] % 6)\""
        members["purchaseDate"] = milliseconds(bytes[4])
        members["expiresDate"] = milliseconds(bytes[5])
        let group = (product == "weekly") == piece.isMoved ? "21" : "22"
        members["subscriptionGroupIdentifier"] = "\"\(group)\""
        if bytes[6] & 1 == 1 { members["offerType"] = "\((bytes[6] >> 1) % 4 + 1)" }
        if bytes[6] & 8 == 8 { members["offerDiscountType"] = "\"FREE_TRIAL\"" }
        if bytes[6] & 0x30 == 0x30 { members["isUpgraded"] = "true" }
        if bytes[6] & 0xC0 == 0xC0 { members["revocationDate"] = milliseconds(bytes[7]) }
        if piece.isShared { members["inAppOwnershipType"] = "\"FAMILY_SHARED\"" }
        return members
    }

    private func renewal(_ bytes: [UInt8]) -> JSONMembers {
        var members = JSONMembers.renewalInfo
        members["signedDate"] = "\(Self.date(bytes[1]).millisecondsSince1970)"
        members["productId"] = "\"\(product(bytes[2]))\""
        members["originalTransactionId"] = "\"\(bytes[3] % 6)\""
        members["autoRenewProductId"] = "\"\(product(bytes[4]))\""
        members["autoRenewStatus"] = "\(bytes[5] & 1)"
        members["gracePeriodExpiresDate"] =
            bytes[5] & 2 == 2 ? "\(Self.date(bytes[6]).millisecondsSince1970)" : nil
        members["isInBillingRetryPeriod"] = bytes[5] & 4 == 4 ? "true" : nil
        members["eligibleWinBackOfferIds"] =
            [nil, "[]", #"["back","again"]"#, #"["again"]"#][Int(bytes[7] % 4)]
        return members
    }
}
