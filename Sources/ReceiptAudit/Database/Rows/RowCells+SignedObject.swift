import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources

// Without an object, these functions name the columns of its table.

extension RowCells {
    /// Adds the columns that purchases of all formats have.
    /// - Parameter bytes: The payload of the purchase's receipt.
    mutating func add(
        purchase: InAppPurchase?, at position: Int?, of bytes: [UInt8], _ catalog: SubscriptionCatalog?
    ) {
        beginPurchase(of: purchase?.productID, at: position, catalog)
        (purchase?.record ?? PurchaseRecord()).visit(&self, of: bytes)
    }

    private mutating func beginPurchase(
        of product: @autoclosure () -> String?, at position: Int?, _ catalog: SubscriptionCatalog?
    ) {
        let group = catalog.flatMap { catalog in product().flatMap { catalog.product($0)?.group } }
        key("receipt_id", "NOT NULL REFERENCES receipts (id)")
        add("position", position, rules: "NOT NULL")
        add("subscription_group", group, "as in the catalog", behind: "product_type")
    }

    /// Adds the row of an object other than a receipt, next to the record's row.
    mutating func add(contentOf object: VerifiedObject, _ catalog: SubscriptionCatalog?) {
        switch object {
        case .transaction(let transaction):
            add(transaction, transaction.webOrderLineItemID, catalog)
            add(
                signed: transaction, transaction.subscriptionGroupIdentifier,
                ownership: transaction.inAppOwnershipType)
        case .transactionReceipt(let receipt):
            add(receipt, receipt.webOrderLineItemID, catalog)
            add(signed: nil, receipt.subscriptionGroupIdentifier, ownership: receipt.inAppOwnershipType)
        case .renewalInfo(let information): add(renewal: information)
        case .notification(let notification): add(notification: notification)
        case .realtimeRequest(let request): add(realtimeRequest: request)
        case .appTransaction(let transaction): add(appTransaction: transaction)
        case .receipt: break
        }
    }

    private mutating func add(
        _ purchase: some AppStorePurchase, _ webOrderLineItemID: String?, _ catalog: SubscriptionCatalog?
    ) {
        beginPurchase(of: purchase.productID, at: 0, catalog)
        purchase.visit(&self, webOrderLineItemID: webOrderLineItemID)
    }

    /// Adds the columns that receipts lack.
    mutating func add(signed transaction: VerifiedTransaction?, _ group: String?, ownership: String?) {
        add(
            "subscription_group_identifier", group,
            "this and the following columns: only signed transactions")
        add(
            "ownership_type", ownership,
            "PURCHASED, FAMILY_SHARED; any other value is stored, but never trusted")
        add("is_upgraded", transaction?.isUpgraded)
        add("offer_type", transaction?.offerType, "1 introductory, 2 promotional, 3 offer code, 4 win-back")
        add("offer_identifier", transaction?.offerIdentifier)
        add(
            "offer_discount_type", transaction?.offerDiscountType,
            "FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME")
        add("offer_period", transaction?.offerPeriod, "ISO 8601")
        add("storefront", transaction?.storefront, "ISO 3166-1 alpha-3")
        add("storefront_id", transaction?.storefrontID)
        add("price", transaction?.price, "in thousandths of the currency")
        add("currency", transaction?.currency, "ISO 4217")
        add("transaction_reason", transaction?.transactionReason, "PURCHASE, RENEWAL")
        add("app_account_token", transaction?.appAccountToken, "chosen by the app")
        add("app_transaction_id", transaction?.appTransactionID, "one for each Apple Account and app")
        add(
            "previous_original_transaction_id", transaction?.previousOriginalTransactionID,
            "of the subscription before a switch from or to a bundle")
        add("revocation_reason", transaction?.revocationReason, "as cancellation_reason")
        add("revocation_type", transaction?.revocationType, "REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE")
        add("revocation_percentage", transaction?.revocationPercentage, "thousandths of a percent")
        add("billing_plan_type", transaction?.billingPlanType, "BILLED_UPFRONT, MONTHLY")
        add(
            "commitment_info", json: transaction?.signed.object("commitmentInfo"),
            "JSON object, as it was signed")
        add(
            "advanced_commerce_info", json: transaction?.signed.object("advancedCommerceInfo"),
            "JSON object, as it was signed")
    }

    private mutating func beginObject() { key("receipt_id", "PRIMARY KEY REFERENCES receipts (id)") }

    mutating func add(renewal information: VerifiedRenewalInfo?) {
        beginObject()
        add("original_transaction_id", information?.originalTransactionID)
        add("product_id", information?.productID)
        add("auto_renew_product_id", information?.autoRenewProductID)
        add("auto_renew_status", information?.autoRenewStatus)
        add("expiration_intent", information?.expirationIntent)
        add("is_in_billing_retry_period", information?.isInBillingRetryPeriod)
        add("grace_period_expires_date", information?.gracePeriodExpiresDate)
        add("renewal_date", information?.renewalDate)
        add("recent_subscription_start_date", information?.recentSubscriptionStartDate)
        add("offer_type", information?.offerType)
        add("offer_identifier", information?.offerIdentifier)
        add("offer_discount_type", information?.offerDiscountType)
        add("offer_period", information?.offerPeriod, "ISO 8601")
        add("renewal_price", information?.renewalPrice, "in thousandths of the currency")
        add("currency", information?.currency)
        add(
            "eligible_win_back_offer_ids", information?.eligibleWinBackOfferIDs.map(list),
            "JSON array, Apple's first choice first")
        add("price_increase_status", information?.priceIncreaseStatus)
        add("app_account_token", information?.appAccountToken, "chosen by the app")
        add("app_transaction_id", information?.appTransactionID, "one for each Apple Account and app")
        add("renewal_billing_plan_type", information?.renewalBillingPlanType, "BILLED_UPFRONT, MONTHLY")
        add(
            "commitment_info", json: information?.signed.object("commitmentInfo"),
            "JSON object, as it was signed")
        add(
            "advanced_commerce_info", json: information?.signed.object("advancedCommerceInfo"),
            "JSON object, as it was signed")
    }

    mutating func add(notification: VerifiedNotification?) {
        beginObject()
        add("notification_type", notification?.notificationType)
        add("subtype", notification?.subtype)
        add("notification_uuid", notification?.notificationUUID)
        add("version", notification?.version)
        add("body", notification?.body, "data, summary, externalPurchaseToken, appData")
        add("status", notification?.status, "this and the next two: in data")
        add("bundle_version", notification?.bundleVersion)
        add("consumption_request_reason", notification?.consumptionRequestReason)
        add("request_identifier", notification?.requestIdentifier, "this and the next four: in summary")
        add("product_id", notification?.productID)
        add("storefront_country_codes", notification?.storefrontCountryCodes.map(list), "JSON array")
        add("succeeded_count", notification?.succeededCount)
        add("failed_count", notification?.failedCount)
        add(
            "external_purchase_id", notification?.externalPurchaseID,
            "this and the next three: in externalPurchaseToken")
        add("token_type", notification?.tokenType)
        add("token_creation_date", notification?.tokenCreationDate)
        add("token_expiration_date", notification?.tokenExpirationDate)
    }

    mutating func add(realtimeRequest request: VerifiedRealtimeRequest?) {
        beginObject()
        add("original_transaction_id", request?.originalTransactionID)
        add("product_id", request?.productID)
        add("user_locale", request?.userLocale)
        add("request_identifier", request?.requestIdentifier, "a UUID for each request")
    }

    mutating func add(appTransaction transaction: VerifiedAppTransaction?) {
        beginObject()
        add("app_transaction_id", transaction?.appTransactionID, "one for each Apple Account and app")
        add("original_platform", transaction?.originalPlatform, "iOS, macOS, tvOS, visionOS")
        add("preorder_date", transaction?.preorderDate)
        add("revocation_date", transaction?.revocationDate)
    }
}

extension VerifiedObject {
    /// The table of the object's other rows, and its number of purchases.
    var table: (ReceiptRows.Table, purchases: Int) {
        switch self {
        case .receipt(let receipt): (.transactions, receipt.payload.inAppPurchases.count)
        case .transaction, .transactionReceipt: (.signedTransactions, 1)
        case .renewalInfo: (.renewals, 0)
        case .notification: (.notifications, 0)
        case .realtimeRequest: (.realtimeRequests, 0)
        case .appTransaction: (.appTransactions, 0)
        }
    }

    // Most objects are receipts. For these, `object` would allocate memory.

    var certificates: [CertificateFacts] {
        if case .receipt(let receipt) = self { receipt.certificates } else { object.certificates }
    }

    var environment: ReceiptEnvironment? {
        if case .receipt(let receipt) = self { receipt.environment } else { object.environment }
    }

    var digestAlgorithm: DigestAlgorithm {
        switch self {
        case .receipt(let receipt): receipt.digestAlgorithm
        case .transactionReceipt(let receipt): receipt.digestAlgorithm
        default: .sha256
        }
    }
}
