import AppReceipt
import StrictJSON

// The responseBody. Members without a value are omitted, never null. Text is copied from the receipt, and
// dates are triplets. Numbers and Booleans are text, except `status` and four identifiers of the app.

extension JSONWriter {
    /// Writes the response to a genuine receipt, with members in the order of Apple's responses.
    /// - Parameters:
    ///   - payload: The receipt's payload.
    ///   - environment: The environment of both receipt and endpoint.
    ///   - requestDate: The time of the request.
    ///   - latest: The transactions of `latest_receipt_info`, which is omitted if there are none.
    ///   - renewals: The contents of `pending_renewal_info`, which is omitted if there are none.
    mutating func verifyReceiptAnswer(
        _ payload: ReceiptPayload, in environment: VerifyReceiptEndpoint.Environment,
        at requestDate: Timestamp, latest: [LatestTransaction], renewals: [VerifiedRenewalInfo]
    ) {
        let bytes = payload.bytes
        let purchases = payload.inAppPurchases
        object { json in
            json.number("status", VerifyReceiptAnswer.Status.valid.rawValue)
            json.string("environment", environment.rawValue)
            json.key("receipt")
            json.receipt(payload, requestDate, of: bytes)
            if !latest.isEmpty {
                json.array("latest_receipt_info", latest) { json, transaction in
                    let record = transaction.purchase.map { purchases[$0].record }
                    json.object { json in json.members(of: transaction, record, of: bytes) }
                }
            }
            if !renewals.isEmpty {
                json.array("pending_renewal_info", renewals) { json, renewal in json.pendingRenewal(renewal) }
            }
        }
    }

    private mutating func receipt(_ payload: ReceiptPayload, _ requestDate: Timestamp, of bytes: [UInt8]) {
        let app = payload.app
        object { json in
            json.member("receipt_type", app.receiptType, of: bytes)
            json.member("adam_id", number: app.appItemID)
            json.member("app_item_id", number: app.appItemID)
            json.member("bundle_id", app.bundleID, of: bytes)
            json.member("application_version", app.applicationVersion, of: bytes)
            json.member("download_id", number: app.downloadID)
            json.member("version_external_identifier", number: app.versionExternalIdentifier)
            json.member("receipt_creation_date", app.creationDate)
            json.member("request_date", requestDate)
            json.member("original_purchase_date", app.originalPurchaseDate.value)
            json.member("expiration_date", app.expirationDate.value)
            json.member("original_application_version", app.originalApplicationVersion, of: bytes)
            json.member("preorder_date", payload.preorderDate)
            json.array("in_app", payload.inAppPurchases) { json, purchase in
                json.object { json in json.members(of: purchase.record, of: bytes) }
            }
        }
    }

    /// Writes the members of a transaction.
    /// - Parameter record: The receipt's purchase, if the receipt lists the transaction.
    private mutating func members(
        of transaction: LatestTransaction, _ record: PurchaseRecord?, of bytes: [UInt8]
    ) {
        if let signed = transaction.signed, transaction.isSignedNewer {
            members(of: signed, record)
        } else if let record {
            members(of: record, of: bytes)
        }
        // No receipt contains these members. The newest signed transaction does, even if the receipt is
        // newer.
        guard let signed = transaction.signed else { return }
        member("is_upgraded", signed.isUpgraded == true ? true : nil)
        member("in_app_ownership_type", text: signed.inAppOwnershipType)
        member("subscription_group_identifier", text: signed.subscriptionGroupIdentifier)
        member("offer_code_ref_name", text: signed.offerType == 3 ? signed.offerIdentifier : nil)
        member("app_account_token", text: signed.appAccountToken)
    }

    /// Writes the members of a signed transaction.
    /// - Parameter record: The same transaction in an older receipt.
    private mutating func members(of signed: VerifiedTransaction, _ record: PurchaseRecord?) {
        member("quantity", text: signed.quantity)
        member("product_id", text: signed.productID)
        member("transaction_id", text: signed.transactionID)
        member("original_transaction_id", text: signed.originalTransactionID)
        member("purchase_date", signed.purchaseDate)
        member("original_purchase_date", signed.originalPurchaseDate)
        member("expires_date", signed.expiresDate)
        // A receipt contains the date of an upgrade. A signed transaction states only that there was one.
        let upgrade = signed.isUpgraded == true ? record?.cancellationDate.value : nil
        member("cancellation_date", signed.cancellationDate ?? upgrade)
        member("cancellation_reason", text: signed.cancellationReason)
        member("web_order_line_item_id", text: signed.webOrderLineItemID)
        // Apple sets it for free periods under offer codes, too, beside the code.
        let isFree =
            signed.offerType == 3 && signed.offerIdentifier?.isEmpty == false
            && signed.offerDiscountType?.isExactly("FREE_TRIAL") == true
        member("is_trial_period", isFree ? true : signed.isTrialPeriod ?? record?.isTrialPeriod)
        member("is_in_intro_offer_period", signed.isSubscription ? signed.isInIntroOfferPeriod : nil)
        member("promotional_offer_id", text: signed.promotionalOfferIdentifier)
    }

    private mutating func members(of purchase: PurchaseRecord, of bytes: [UInt8]) {
        member("quantity", text: purchase.quantity)
        member("product_id", purchase.productID, of: bytes)
        member("transaction_id", purchase.transactionID, of: bytes)
        member("original_transaction_id", purchase.originalTransactionID, of: bytes)
        member("purchase_date", purchase.purchaseDate.value)
        member("original_purchase_date", purchase.originalPurchaseDate.value)
        member("expires_date", purchase.expiresDate.value)
        member("cancellation_date", purchase.cancellationDate.value)
        member("cancellation_reason", text: purchase.cancellationReason)
        // The value is 0 in every purchase that is not a subscription.
        member(
            "web_order_line_item_id", text: purchase.webOrderLineItemID.flatMap { $0 == 0 ? nil : $0 })
        member("is_trial_period", purchase.isTrialPeriod)
        member("is_in_intro_offer_period", purchase.isInIntroOfferPeriod)
        member("promotional_offer_id", purchase.promotionalOfferIdentifier, of: bytes)
    }

    private mutating func pendingRenewal(_ renewal: VerifiedRenewalInfo) {
        object { json in
            json.member("expiration_intent", text: renewal.expirationIntent)
            json.member("grace_period_expires_date", renewal.gracePeriodExpiresDate)
            json.member("auto_renew_product_id", text: renewal.autoRenewProductID)
            json.member("original_transaction_id", text: renewal.originalTransactionID)
            // Apple states it only of subscriptions that did not renew.
            let isRetrying = renewal.isInBillingRetryPeriod
            json.member(
                "is_in_billing_retry_period",
                text: isRetrying == true || renewal.expirationIntent != nil
                    ? isRetrying.map { $0 ? 1 : 0 } : nil)
            json.member("product_id", text: renewal.productID)
            json.member("auto_renew_status", text: renewal.autoRenewStatus)
            json.member("price_increase_status", text: renewal.priceIncreaseStatus)
            json.member(
                "promotional_offer_id", text: renewal.offerType == 2 ? renewal.offerIdentifier : nil)
            // The identifier of an offer code is its reference name (StoreKit, Transaction.Offer.id).
            json.member("offer_code_ref_name", text: renewal.offerType == 3 ? renewal.offerIdentifier : nil)
        }
    }

    /// Writes text unless it is empty.
    private mutating func member(_ name: StaticString, _ text: PayloadSlice, of bytes: [UInt8]) {
        guard let range = text.range, !range.isEmpty else { return }
        key(name)
        string(utf8: bytes.span.extracting(range))
    }

    private mutating func member(_ name: StaticString, text: String?) {
        guard let text, !text.isEmpty else { return }
        string(name, text)
    }

    private mutating func member(_ name: StaticString, number: UInt64?) {
        guard let number else { return }
        key(name)
        self.number(number)
    }

    private mutating func member(_ name: StaticString, text number: (some FixedWidthInteger)?) {
        guard let number else { return }
        quoted(name, number)
    }

    private mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        string(name, flag ? "true" : "false")
    }

    /// Writes the three members of a date.
    private mutating func member(_ name: StaticString, _ date: Timestamp?) {
        guard let date else { return }
        key(name)
        unsafe quoted(atMost: AnswerZone.capacity) { unsafe AnswerZone.gmt.write(date, to: $0) }
        key(name, "_ms")
        quoted(date.millisecondsSince1970)
        key(name, "_pst")
        unsafe quoted(atMost: AnswerZone.capacity) { unsafe AnswerZone.pacific.write(date, to: $0) }
    }
}
