import AppReceipt
import OfferEligibility
import StrictJSON

/// A snapshot of one signed object in the format of ``JSONWriter/snapshot(_:of:)``. It is untrusted input.
struct ObjectSnapshot {
    private(set) var kind = ""
    private(set) var createdAt: Timestamp?
    private(set) var content: [UInt8]?
    /// Whether the object is renewal information that was refused because it names no app although one is
    /// expected.
    private(set) var isUnplaced = false
    private(set) var record: String?
    private(set) var subject: String?
    private(set) var environment: String?
    private(set) var bundleID: String?
    private(set) var realm: String?
    private(set) var listing: APIAnswer.Listing?
    private(set) var appTransactionID: String?
    /// The purchases, at most one more than a customer may have. Further ones would not change the result.
    private(set) var purchases: [PurchaseSnapshot] = []
    private(set) var renewal: RenewalSnapshot?

    private static let kinds = [
        "receipt", "transaction", "renewal-info", "app-transaction", "notification", "realtime-request",
        "transaction-receipt",
    ]

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "kind":
                kind = try reader.string()
                guard Self.kinds.contains(kind.ifASCII) else {
                    throw reader.error(.unexpectedValue(String(kind.prefix(64))))
                }
            case "created_at": createdAt = try reader.snapshotDate()
            case "content_sha256": content = try reader.text(atMost: 64)
            case "sha256":
                let digest = try reader.text(atMost: 64)
                content = content ?? digest
            case "refused":
                let code = try reader.string()
                guard code.isExactly(ReceiptError.Code.wrongBundleID.rawValue) else {
                    throw reader.error(.unexpectedValue(String(code.prefix(64))))
                }
                isUnplaced = true
            case "record": record = try reader.keptText()
            case "subject": subject = try reader.keptText()
            case "environment": environment = try reader.string()
            case "bundle_id": bundleID = try reader.keptText()
            case "realm": realm = try reader.string()
            case "listing":
                let name = try reader.string()
                listing = APIAnswer.Listing(rawValue: name.ifASCII)
                guard listing != nil else {
                    throw reader.error(.unexpectedValue(String(name.prefix(64))))
                }
            case "app_transaction_id": appTransactionID = try reader.keptText()
            // The caller uses the token to link evidence. It has no effect here.
            case "app_account_token": _ = try reader.keptText()
            case "purchases":
                try reader.array { (reader, index) throws(JSONError) in
                    let purchase = try PurchaseSnapshot(&reader)
                    if index <= CustomerSnapshot.limit { purchases.append(purchase) }
                }
            case "renewal": renewal = try RenewalSnapshot(&reader)
            default: throw reader.error(.invalid("unknown member"))
            }
        }
        guard !kind.isEmpty else { throw reader.error(.missing("kind")) }
        guard !isUnplaced || kind == "renewal-info" && bundleID == nil else {
            throw reader.error(
                .invalid("only renewal information of an unknown app can be refused evidence"))
        }
    }
}

extension PurchaseSnapshot {
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "product_id": productID = try reader.keptText()
            case "product_type": productType = InAppProductType(named: try reader.string())
            case "transaction_id": transactionID = try reader.keptText()
            case "original_transaction_id": originalTransactionID = try reader.keptText()
            case "purchase_date": purchaseDate = try reader.snapshotDate()
            case "expires_date": expiresDate = try reader.snapshotDate()
            case "cancellation_date": cancellationDate = try reader.snapshotDate()
            case "cancellation_reason": cancellationReason = try reader.integer()
            case "is_trial_period": isTrialPeriod = try reader.bool()
            case "is_in_intro_offer_period": isInIntroOfferPeriod = try reader.bool()
            case "promotional_offer_identifier": promotionalOfferIdentifier = try reader.keptText()
            case "subscription_group_identifier": subscriptionGroupIdentifier = try reader.keptText()
            case "ownership_type": ownershipType = try reader.keptText()
            case "is_upgraded": isUpgraded = try reader.bool()
            case "offer_type": offerType = try reader.integer()
            case "offer_identifier": offerIdentifier = try reader.keptText()
            case "offer_discount_type": offerDiscountType = try reader.keptText()
            case "revocation_type": revocationType = try reader.keptText()
            case "revocation_percentage": revocationPercentage = try reader.integer()
            default: throw reader.error(.invalid("unknown member"))
            }
        }
    }
}

extension RenewalSnapshot {
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "original_transaction_id": originalTransactionID = try reader.keptText()
            case "product_id": productID = try reader.keptText()
            case "auto_renew_product_id": autoRenewProductID = try reader.keptText()
            case "auto_renew_status": autoRenewStatus = try reader.integer()
            case "expiration_intent": expirationIntent = try reader.integer()
            case "is_in_billing_retry_period": isInBillingRetryPeriod = try reader.bool()
            case "grace_period_expires_date": gracePeriodExpiresDate = try reader.snapshotDate()
            case "renewal_date": renewalDate = try reader.snapshotDate()
            case "recent_subscription_start_date":
                recentSubscriptionStartDate = try reader.snapshotDate()
            case "offer_type": offerType = try reader.integer()
            case "eligible_win_back_offer_ids":
                eligibleWinBackOfferIDs = try reader.list { (reader, _) throws(JSONError) in
                    try reader.keptText()
                }
            default: throw reader.error(.invalid("unknown member"))
            }
        }
    }
}

extension JSONReader {
    /// Reads text of any length, because signed text may be long.
    fileprivate mutating func keptText() throws(JSONError) -> String { try string(atMost: .max) }

    /// Reads a date in the range that a verified date can have.
    fileprivate mutating func snapshotDate() throws(JSONError) -> Timestamp {
        let milliseconds: Int64 = try integer()
        guard Timestamp.rfc3339Range.contains(milliseconds) else { throw error(.invalidDate) }
        return Timestamp(millisecondsSince1970: milliseconds)
    }
}
