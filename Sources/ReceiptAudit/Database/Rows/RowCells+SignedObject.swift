import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources

extension RowCells {
    /// Adds the columns of a signed object other than a PKCS #7 receipt: ``ReceiptRows/receiptColumns`` from
    /// `kind` on.
    mutating func add(_ object: VerifiedObject, enclosedIn app: String?) {
        let signed = object.object
        add(object.kind)
        add(signed.realm.rawValue)
        add(signed.environment?.rawValue)
        if case .transactionReceipt(let receipt) = object {
            add(receipt.digestAlgorithm.rawValue)
        } else {
            add(DigestAlgorithm.sha256.rawValue)
        }
        add(signed.revocation.summary)
        let app = object.bundleID ?? app
        guard case .appTransaction(let transaction) = object else {
            addNulls(1)
            add(app)
            addNulls(2)
            add(signed.verifiedAt)
            addNulls(2)
            add(object.jws?.appAppleID.map { "\($0)" })
            return addNulls(4)
        }
        add(transaction.receiptType)
        add(app)
        add(transaction.applicationVersion)
        add(transaction.originalApplicationVersion)
        add(transaction.receiptCreationDate)
        add(transaction.originalPurchaseDate)
        addNulls(1)
        add(transaction.appAppleID.map { "\($0)" })
        addNulls(1)
        add(transaction.versionExternalIdentifier.map { "\($0)" })
        addNulls(2)
    }
}

extension RowCells {
    /// Adds the row of a signed transaction or a transaction receipt, from `position` on.
    mutating func add(purchaseOf object: VerifiedObject, _ catalog: SubscriptionCatalog?) {
        let catalog = catalog?.scope(of: object.bundleID)
        switch object {
        case .transaction(let transaction):
            add(transaction, transaction.webOrderLineItemID, catalog)
            add(transaction.subscriptionGroupIdentifier)
            add(transaction.inAppOwnershipType)
            add(transaction.isUpgraded)
            add(transaction.offerType)
            add(transaction.offerIdentifier)
            add(transaction.offerDiscountType)
            add(transaction.offerPeriod)
            add(transaction.storefront)
            add(transaction.storefrontID)
            add(transaction.price)
            add(transaction.currency)
            add(transaction.transactionReason)
            add(transaction.appAccountToken)
            add(transaction.appTransactionID)
            add(transaction.revocationReason)
            add(transaction.revocationType)
            add(transaction.revocationPercentage)
            add(transaction.billingPlanType)
            add(json: transaction.signed.object("commitmentInfo"))
            add(json: transaction.signed.object("advancedCommerceInfo"))
        case .transactionReceipt(let receipt):
            add(receipt, receipt.webOrderLineItemID, catalog)
            add(receipt.subscriptionGroupIdentifier)
            add(receipt.inAppOwnershipType)
            addNulls(ReceiptRows.signedTransactionColumns.count - ReceiptRows.transactionColumns.count - 2)
        case .receipt, .renewalInfo, .appTransaction, .notification, .realtimeRequest: break
        }
    }

    private mutating func add(
        _ purchase: some AppStorePurchase, _ webOrderLineItemID: String?, _ catalog: SubscriptionCatalog?
    ) {
        add(0)
        add(catalog.flatMap { catalog in purchase.productID.flatMap { catalog.product($0)?.group } })
        add(purchase.quantity.map { Int64($0) })
        add(purchase.productID)
        add(purchase.productType?.name)
        add(purchase.transactionID)
        add(purchase.originalTransactionID)
        add(purchase.purchaseDate)
        add(purchase.originalPurchaseDate)
        add(purchase.expiresDate)
        add(purchase.cancellationDate)
        add(purchase.cancellationReason)
        add(purchase.isTrialPeriod)
        add(purchase.isInIntroOfferPeriod)
        add(purchase.promotionalOfferIdentifier)
        add(webOrderLineItemID)
    }

    /// Adds the row of renewal information, a notification, a realtime request or an app transaction, from
    /// its second column on.
    mutating func add(contentOf object: VerifiedObject) {
        switch object {
        case .renewalInfo(let information):
            add(information.originalTransactionID)
            add(information.productID)
            add(information.autoRenewProductID)
            add(information.autoRenewStatus)
            add(information.expirationIntent)
            add(information.isInBillingRetryPeriod)
            add(information.gracePeriodExpiresDate)
            add(information.renewalDate)
            add(information.recentSubscriptionStartDate)
            add(information.offerType)
            add(information.offerIdentifier)
            add(information.offerDiscountType)
            add(information.offerPeriod)
            add(information.renewalPrice)
            add(information.currency)
            add(information.eligibleWinBackOfferIDs.map(list))
            add(information.priceIncreaseStatus)
            add(information.appAccountToken)
            add(information.appTransactionID)
            add(information.renewalBillingPlanType)
            add(json: information.signed.object("commitmentInfo"))
            add(json: information.signed.object("advancedCommerceInfo"))
        case .notification(let notification):
            add(notification.notificationType)
            add(notification.subtype)
            add(notification.notificationUUID)
            add(notification.version)
            add(notification.body)
            add(notification.status)
            add(notification.bundleVersion)
            add(notification.consumptionRequestReason)
            add(notification.requestIdentifier)
            add(notification.productID)
            add(notification.storefrontCountryCodes.map(list))
            add(notification.succeededCount)
            add(notification.failedCount)
            add(notification.externalPurchaseID)
            add(notification.tokenType)
            add(notification.tokenCreationDate)
            add(notification.tokenExpirationDate)
        case .realtimeRequest(let request):
            add(request.originalTransactionID)
            add(request.productID)
            add(request.userLocale)
            add(request.requestIdentifier)
        case .appTransaction(let transaction):
            add(transaction.appTransactionID)
            add(transaction.originalPlatform)
            add(transaction.preorderDate)
        case .receipt, .transaction, .transactionReceipt: break
        }
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
}
