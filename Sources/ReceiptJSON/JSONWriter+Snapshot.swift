import AppReceipt
import OfferEligibility
package import ReceiptExamination
import StrictJSON

// The snapshot of a genuine signed object, which is later evaluated with the others of its customer:
//
// {"kind": "…", "created_at": 1, "content_sha256": "…", "record": "…", "subject": "…", "environment": "…",
//  "bundle_id": "…", "realm": "…", "listing": "…", "app_transaction_id": "…", "app_account_token": "…",
//  "purchases": [{…}], "renewal": {…}}
//
// Unknown members are omitted, and dates are in milliseconds since 1970. A transaction receipt has `sha256`
// instead of `content_sha256`. The snapshot is null if there is no genuine signed object. If the record's
// line refuses renewal information because it names no app, the snapshot also has "refused":
// "wrong_bundle_id".

extension JSONWriter {
    /// Writes the line with the snapshot of a signed object.
    package mutating func snapshot(_ examination: Examination?, of origin: ReceiptOrigin) {
        defer { endLine() }
        guard let examination, let object = examination.evidence else { return null() }
        let names = origin.names
        self.object { json in
            json.string("kind", object.kind)
            json.member("created_at", object.object.verifiedAt)
            if let content = examination.contentSHA256 {
                json.hex("content_sha256", content)
            } else {
                json.hex("sha256", examination.sha256)
            }
            if case .failure(let refusal) = examination.result {
                json.member("refused", refusal.code.rawValue)
            }
            json.member("record", names.record)
            json.member("subject", names.subject)
            json.member("environment", object.object.environment?.rawValue)
            json.member("bundle_id", object.bundleID ?? examination.enclosingApp)
            json.member("realm", object.object.realm.rawValue)
            json.member("listing", examination.listing?.rawValue)
            json.member("app_transaction_id", object.jws?.documentedText("appTransactionId"))
            json.member("app_account_token", object.jws?.documentedText("appAccountToken"))
            switch object {
            case .receipt(let receipt):
                let bytes = receipt.payload.bytes
                json.array("purchases", receipt.payload.inAppPurchases) { json, purchase in
                    let rows = AttributeRow.list { purchase.record.visit(&$0, of: bytes) }
                    json.object { $0.snapshotMembers(of: rows, in: bytes) }
                }
            case .transaction(let transaction):
                json.array("purchases") { $0.object { $0.snapshotMembers(of: transaction) } }
            case .transactionReceipt(let receipt):
                json.array("purchases") { $0.object { $0.snapshotMembers(of: receipt) } }
            case .renewalInfo(let information):
                json.object("renewal") { $0.snapshotMembers(of: information) }
            case .appTransaction, .notification, .realtimeRequest: break
            }
        }
    }

    /// The attributes that the rules use. Snapshots are read with the same members.
    private static let used: Set<Int64> = [1702, 1703, 1704, 1705, 1707, 1708, 1712, 1713, 1719, 1720, 1721]

    private mutating func snapshotMembers(of rows: [AttributeRow], in bytes: [UInt8]) {
        for row in rows where !row.value.isAbsent && Self.used.contains(row.type) {
            if case .date(let date) = row.value {
                member(row.name, date)
            } else {
                visit(row.type, row.name, row.value, of: bytes)
            }
        }
    }

    private mutating func snapshotMembers(of purchase: some AppStorePurchase) {
        snapshotMembers(of: AttributeRow.list { purchase.visit(&$0, webOrderLineItemID: nil) }, in: [])
        if let receipt = purchase as? VerifiedTransactionReceipt {
            member("subscription_group_identifier", receipt.subscriptionGroupIdentifier)
            member("ownership_type", receipt.inAppOwnershipType)
        }
        guard let transaction = purchase as? VerifiedTransaction else { return }
        member("subscription_group_identifier", transaction.subscriptionGroupIdentifier)
        member("ownership_type", transaction.inAppOwnershipType)
        member("is_upgraded", transaction.isUpgraded)
        member("offer_type", transaction.offerType)
        member("offer_identifier", transaction.offerIdentifier)
        member("offer_discount_type", transaction.offerDiscountType)
        member("revocation_type", transaction.revocationType)
        member("revocation_percentage", transaction.revocationPercentage)
    }

    private mutating func snapshotMembers(of renewal: VerifiedRenewalInfo) {
        member("original_transaction_id", renewal.originalTransactionID)
        member("product_id", renewal.productID)
        member("auto_renew_product_id", renewal.autoRenewProductID)
        member("auto_renew_status", renewal.autoRenewStatus)
        member("expiration_intent", renewal.expirationIntent)
        member("is_in_billing_retry_period", renewal.isInBillingRetryPeriod)
        member("grace_period_expires_date", renewal.gracePeriodExpiresDate)
        member("renewal_date", renewal.renewalDate)
        member("recent_subscription_start_date", renewal.recentSubscriptionStartDate)
        member("offer_type", renewal.offerType)
        guard let offers = renewal.eligibleWinBackOfferIDs else { return }
        array("eligible_win_back_offer_ids", offers) { $0.string($1) }
    }

    private mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        string(name, value)
    }

    private mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        number(name, value)
    }

    private mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        bool(name, value)
    }

    private mutating func member(_ name: StaticString, _ value: Timestamp?) {
        member(name, value?.millisecondsSince1970)
    }
}

extension VerifiedObject {
    /// The name of the kind in an audit's table `receipts`.
    package var kind: String {
        switch self {
        case .receipt: "receipt"
        case .transaction: "transaction"
        case .renewalInfo: "renewal-info"
        case .appTransaction: "app-transaction"
        case .notification: "notification"
        case .realtimeRequest: "realtime-request"
        case .transactionReceipt: "transaction-receipt"
        }
    }
}
