import AppReceipt
import ReceiptForge

@testable import ReceiptAudit

/// A purchase as a test describes it. The records that present it, and the expected numbers, are made from this.
struct Sale {
    enum Offer: String {
        case trial, introductory, promotional
        case code = "offer code"
        case winBack = "win-back"

        /// `offerType` of a JWS.
        var type: Int {
            switch self {
            case .trial, .introductory: 1
            case .promotional: 2
            case .code: 3
            case .winBack: 4
            }
        }
    }

    /// The kind and the date of a revocation by the App Store.
    enum Revocation {
        case full(String)
        /// The share that was paid back, in thousandths of a percent, or nil if the evidence does not state it.
        case part(String, Int64?)
        case family(String)
    }

    var id: String
    var original: String
    var app = "com.example.one"
    var environment = "Production"
    var product = "monthly"
    var from: String
    /// The expiry, or nil for other purchases than subscriptions.
    var until: String?
    /// The price in thousandths, or nil if only receipts present the purchase.
    var price: Int64? = 10_000
    var currency = "DKK"
    var offer: Offer?
    var revocation: Revocation?
    /// The date of the upgrade that replaced the period.
    var upgradedAt: String?
    var isShared = false
    /// The accounts that present the purchase. Nil is a record without a subject.
    var subjects: [String?] = ["a"]

    var key: String { "\(environment)/\(app)/\(id)" }
    var subscription: String { "\(environment)/\(app)/\(original)" }

    var revokedAt: String? {
        switch revocation {
        case .full(let date), .part(let date, _), .family(let date): date
        case nil: nil
        }
    }

    var isRefund: Bool {
        switch revocation {
        case .full, .part: !isShared
        case .family, nil: false
        }
    }

    /// The amount paid back in thousandths, or nil if it is not known.
    var refunded: Int64? {
        guard let price, upgradedAt == nil else { return nil }
        switch revocation {
        case .full: return price
        case .part(_, let share): return share.map { price * $0 / 100_000 }
        case .family, nil: return 0
        }
    }

    /// The end of the period: expiry, revocation or upgrade.
    var endedAt: String? { until.map { [$0, revokedAt ?? $0, upgradedAt ?? $0].min() ?? $0 } }

    // MARK: - Evidence

    /// Returns the records of each account that present the purchase: a receipt of its first day, two copies of a JWS of
    /// 2026, and a newer receipt. Without a price, the newer receipt occurs twice, and there is no JWS. A shared
    /// purchase has only one JWS.
    func records() throws -> [UInt8] {
        try subjects.enumerated().flatMap { place, subject -> [UInt8] in
            let early = try Forged.line(
                "early-\(id)-\(place)", receipt("\(from.prefix(10))T23:59:59Z", isNew: false),
                subject: subject)
            let late = try Forged.line(
                "late-\(id)-\(place)", receipt("2026-02-01T00:00:00Z", isNew: true), subject: subject)
            guard price != nil else { return early + late + late }
            let jws = try ForgedJWS.line("jws-\(id)-\(place)", ForgedJWS.text(transaction), subject: subject)
            return isShared ? jws : early + jws + jws + late
        }
    }

    private func receipt(_ date: String, isNew: Bool) -> ReceiptContent {
        var purchase = PurchaseContent(
            productID: product, transactionID: id, purchaseDate: from, type: until == nil ? 1 : 3)
        purchase.originalTransactionID = original
        purchase.originalPurchaseDate = from
        purchase.expiresDate = until ?? ""
        purchase.cancellationDate = isNew ? revokedAt ?? upgradedAt ?? "" : ""
        purchase.isTrialPeriod = offer == .trial
        purchase.isInIntroOfferPeriod = offer == .introductory
        purchase.promotionalOfferIdentifier = offer == .promotional ? "offer-1" : nil
        var content = ReceiptContent(bundleID: app, purchases: [purchase])
        content.receiptType = environment == "Production" ? "Production" : "ProductionSandbox"
        content.creationDate = date
        return content
    }

    private var transaction: JSONMembers {
        func text(_ text: String?) -> String? { text.map { "\"\($0)\"" } }
        func date(_ text: String?) -> String? {
            text.flatMap { Timestamp(rfc3339: $0) }.map { "\($0.millisecondsSince1970)" }
        }
        var type: String?
        var share: Int64?
        switch revocation {
        case .full: type = "REFUND_FULL"
        case .part(_, let given): (type, share) = ("REFUND_PRORATED", given)
        case .family: type = "FAMILY_REVOKE"
        case nil: break
        }
        var payload = ForgedJWS.transaction(id)
        for (name, value) in [
            ("bundleId", text(app)), ("environment", text(environment)), ("productId", text(product)),
            ("originalTransactionId", text(original)), ("purchaseDate", date(from)),
            ("originalPurchaseDate", date(from)),
            ("expiresDate", date(until)), ("signedDate", date("2026-01-15T00:00:00Z")),
            ("price", price.map { "\($0)" }),
            ("currency", text(currency)),
            ("type", text(until == nil ? "Consumable" : "Auto-Renewable Subscription")),
            ("offerType", offer.map { "\($0.type)" }),
            ("offerDiscountType", offer == .trial ? text("FREE_TRIAL") : nil),
            ("offerIdentifier", offer.map { $0.type > 1 } == true ? text("offer-1") : nil),
            ("revocationDate", date(revokedAt)), ("revocationReason", revokedAt.map { _ in "0" }),
            ("revocationType", text(type)), ("revocationPercentage", share.map { "\($0)" }),
            ("isUpgraded", upgradedAt.map { _ in "true" }), ("subscriptionGroupIdentifier", nil),
            ("inAppOwnershipType", text(isShared ? "FAMILY_SHARED" : "PURCHASED")),
        ] { payload[name] = value }
        return payload
    }
}
