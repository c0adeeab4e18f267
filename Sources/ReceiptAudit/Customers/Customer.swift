import AppReceipt
import OfferEligibility
import ReceiptJSON
import SQLite

/// A customer and the customer's genuine evidence.
struct Customer {
    /// The properties that all evidence of a customer shares. Evidence without an environment is never
    /// combined.
    struct Key: Equatable {
        var subject: [UInt8]?
        /// The first linked evidence, if there is no subject.
        var first: Int64?
        var environment: [UInt8]?
        var bundleID: [UInt8]?
        var realm: [UInt8]?
    }

    let key: Key
    var snapshot = CustomerSnapshot()
    var links = CustomerLinks()

    /// The names that link the evidence, or nil if a subject does.
    var linkedBy: [CustomerLink]? { key.subject == nil ? links.names : nil }

    init(_ key: Key) { self.key = key }

    /// Returns a part of the key as the receipts contain it.
    func text(_ part: KeyPath<Key, [UInt8]?>) -> String? { key[keyPath: part].map { String(stored: $0) } }

    func history() -> PurchaseHistory {
        snapshot.history(bundleID: text(\.bundleID), environment: text(\.environment), realm: text(\.realm))
    }
}

extension PurchaseSnapshot {
    /// The columns that ``init(_:from:)`` reads.
    static let columns = [
        "product_id", "transaction_id", "original_transaction_id", "promotional_offer_identifier",
        "purchase_date", "expires_date", "cancellation_date", "product_type", "is_trial_period",
        "is_in_intro_offer_period", "subscription_group_identifier", "ownership_type", "is_upgraded",
        "offer_type", "offer_identifier", "offer_discount_type", "cancellation_reason",
        "revocation_type", "revocation_percentage",
    ]

    init(_ row: Statement, from column: Int) {
        self.init()
        productID = row.text(column)
        transactionID = row.text(column + 1)
        originalTransactionID = row.text(column + 2)
        promotionalOfferIdentifier = row.text(column + 3)
        purchaseDate = row.date(column + 4)
        expiresDate = row.date(column + 5)
        cancellationDate = row.date(column + 6)
        productType = row.text(column + 7).map(InAppProductType.init(named:))
        isTrialPeriod = row.flag(column + 8)
        isInIntroOfferPeriod = row.flag(column + 9)
        subscriptionGroupIdentifier = row.text(column + 10)
        ownershipType = row.text(column + 11)
        isUpgraded = row.flag(column + 12)
        offerType = row.isNull(column + 13) ? nil : row.integer(column + 13)
        offerIdentifier = row.text(column + 14)
        offerDiscountType = row.text(column + 15)
        cancellationReason = row.isNull(column + 16) ? nil : row.integer(column + 16)
        revocationType = row.text(column + 17)
        revocationPercentage = row.isNull(column + 18) ? nil : row.integer(column + 18)
    }
}

extension RenewalSnapshot {
    /// The columns that ``init(_:)`` reads.
    static let columns = [
        "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
        "expiration_intent",
        "is_in_billing_retry_period", "grace_period_expires_date", "eligible_win_back_offer_ids",
        "renewal_date", "offer_type", "recent_subscription_start_date",
    ]

    init(_ row: Statement) {
        self.init()
        originalTransactionID = row.text(0)
        productID = row.text(1)
        autoRenewProductID = row.text(2)
        autoRenewStatus = row.isNull(3) ? nil : row.integer(3)
        expirationIntent = row.isNull(4) ? nil : row.integer(4)
        isInBillingRetryPeriod = row.flag(5)
        gracePeriodExpiresDate = row.date(6)
        eligibleWinBackOfferIDs = row.text(7).flatMap { try? StoredJSON.decode([String].self, $0) }
        renewalDate = row.date(8)
        offerType = row.isNull(9) ? nil : row.integer(9)
        recentSubscriptionStartDate = row.date(10)
    }
}

extension Statement {
    func text(_ column: Int) -> String? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe String(stored: $0) }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe Array($0) }
    }

    func date(_ column: Int) -> Timestamp? {
        isNull(column) ? nil : Timestamp(millisecondsSince1970: integer(column))
    }

    func flag(_ column: Int) -> Bool? { isNull(column) ? nil : integer(column) != 0 }
}

extension String {
    /// Decodes text that ``RowCells`` wrote.
    fileprivate init(stored bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(0xE2), unicodeScalars.contains("\u{2400}") else { return }
        var text = UnicodeScalarView()
        var isEscaped = false
        for scalar in unicodeScalars {
            if !isEscaped, scalar == "\u{2400}" {
                isEscaped = true
            } else {
                text.append(isEscaped && scalar == "0" ? "\0" : scalar)
                isEscaped = false
            }
        }
        self = String(text)
    }
}
