import AppReceipt

// responseBody. A member without a value is left out, never null. Text is as the receipt has it; dates are triplets; but
// for `status` and four identifiers of the app, whatever counts or says yes or no is text too.

extension JSONWriter {
    /// Writes the object that answers a genuine receipt, members in the order of Apple's answers.
    /// - Parameters:
    ///   - payload: what the receipt says.
    ///   - environment: of both receipt and endpoint.
    ///   - requestDate: when it was asked.
    ///   - latest: which purchases stand in `latest_receipt_info`, which is left out where there are none.
    ///   - renewals: what stands in `pending_renewal_info`, likewise.
    mutating func verifyReceiptAnswer(
        _ payload: ReceiptPayload, in environment: VerifyReceiptEndpoint.Environment,
        at requestDate: Timestamp, latest: [Int], renewals: [VerifiedRenewalInfo]
    ) {
        let bytes = payload.bytes
        let purchases = payload.inAppPurchases
        object { json in
            json.key("status")
            json.number(VerifyReceiptAnswer.Status.valid.rawValue)
            json.key("environment")
            json.string(environment.rawValue)
            json.key("receipt")
            json.receipt(payload, requestDate, of: bytes)
            if !latest.isEmpty {
                json.key("latest_receipt_info")
                json.array(latest) { json, index in json.transaction(purchases[index].record, of: bytes) }
            }
            if !renewals.isEmpty {
                json.key("pending_renewal_info")
                json.array(renewals) { json, renewal in json.pendingRenewal(renewal) }
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
            json.key("in_app")
            json.array(payload.inAppPurchases) { json, purchase in
                json.transaction(purchase.record, of: bytes)
            }
        }
    }

    private mutating func transaction(_ purchase: PurchaseRecord, of bytes: [UInt8]) {
        object { json in
            json.member("quantity", text: purchase.quantity)
            json.member("product_id", purchase.productID, of: bytes)
            json.member("transaction_id", purchase.transactionID, of: bytes)
            json.member("original_transaction_id", purchase.originalTransactionID, of: bytes)
            json.member("purchase_date", purchase.purchaseDate.value)
            json.member("original_purchase_date", purchase.originalPurchaseDate.value)
            json.member("expires_date", purchase.expiresDate.value)
            json.member("cancellation_date", purchase.cancellationDate.value)
            json.member("cancellation_reason", text: purchase.cancellationReason)
            // 0 in every purchase that is no subscription.
            json.member(
                "web_order_line_item_id", text: purchase.webOrderLineItemID.flatMap { $0 == 0 ? nil : $0 })
            json.member("is_trial_period", purchase.isTrialPeriod)
            json.member("is_in_intro_offer_period", purchase.isInIntroOfferPeriod)
            json.member("promotional_offer_id", purchase.promotionalOfferIdentifier, of: bytes)
        }
    }

    private mutating func pendingRenewal(_ renewal: VerifiedRenewalInfo) {
        object { json in
            json.member("expiration_intent", text: renewal.expirationIntent)
            json.member("grace_period_expires_date", renewal.gracePeriodExpiresDate)
            json.member("auto_renew_product_id", text: renewal.autoRenewProductID)
            json.member("original_transaction_id", text: renewal.originalTransactionID)
            json.member("is_in_billing_retry_period", text: renewal.isInBillingRetryPeriod.map { $0 ? 1 : 0 })
            json.member("product_id", text: renewal.productID)
            json.member("auto_renew_status", text: renewal.autoRenewStatus)
            json.member("price_increase_status", text: renewal.priceIncreaseStatus)
            // 2: a promotional offer. Of an offer code Apple's answer has the name, and signed information the code or the name.
            json.member(
                "promotional_offer_id", text: renewal.offerType == 2 ? renewal.offerIdentifier : nil)
        }
    }
}

// MARK: - Members

extension JSONWriter {
    /// Text, unless it is empty.
    private mutating func member(_ name: StaticString, _ text: PayloadSlice, of bytes: [UInt8]) {
        guard let range = text.range, !range.isEmpty else { return }
        key(name)
        string(utf8: bytes.span.extracting(range))
    }

    private mutating func member(_ name: StaticString, text: String?) {
        guard let text, !text.isEmpty else { return }
        key(name)
        string(text)
    }

    private mutating func member(_ name: StaticString, number: UInt64?) {
        guard let number else { return }
        key(name)
        self.number(number)
    }

    private mutating func member(_ name: StaticString, text number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        quoted(number)
    }

    private mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        string(flag ? "true" : "false")
    }

    /// A date, three times.
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
