/// The kinds of objects that Apple signs as JWS.
public enum JWSKind: String, Sendable, CaseIterable {
    /// JWSTransaction.
    case transaction
    /// JWSRenewalInfo.
    case renewalInfo = "renewal_info"
    /// JWSAppTransaction.
    case appTransaction = "app_transaction"
    /// responseBodyV2 of a notification.
    case notification
    /// A request for a retention message in real time (DecodedRealtimeRequestBody).
    case realtimeRequest = "realtime_request"

    /// The member that only this kind has.
    var distinctiveMember: String {
        switch self {
        case .transaction: "transactionId"
        case .renewalInfo: "autoRenewStatus"
        case .appTransaction: "receiptType"
        case .notification: "notificationType"
        case .realtimeRequest: "userLocale"
        }
    }

    /// The member with the date of signing.
    var dateMember: String { self == .appTransaction ? "receiptCreationDate" : "signedDate" }
}

/// The documented members of each kind and of a notification's bodies. Other members remain in the JSON. Those
/// that only StoreKit documents, which does not show how they are signed, are read but not checked.
/// Sources: Apple, "App Store Server API" (JWSTransactionDecodedPayload, JWSRenewalInfoDecodedPayload), "App
/// Store Server Notifications" (responseBodyV2DecodedPayload), "Retention Messaging API"
/// (DecodedRealtimeRequestBody), StoreKit (AppTransaction), and the models of Apple's own libraries.
extension JWSKind {
    var members: [String: MemberType] {
        switch self {
        case .transaction: Self.transactionMembers
        case .renewalInfo: Self.renewalMembers
        case .appTransaction: Self.appTransactionMembers
        case .notification: Self.notificationMembers
        case .realtimeRequest: Self.realtimeRequestMembers
        }
    }

    private static let transactionMembers: [String: MemberType] = [
        "transactionId": .text, "originalTransactionId": .text, "webOrderLineItemId": .text,
        "appTransactionId": .text, "bundleId": .text, "productId": .text,
        "subscriptionGroupIdentifier": .text, "appAccountToken": .text, "purchaseDate": .date,
        "originalPurchaseDate": .date, "expiresDate": .date, "revocationDate": .date, "signedDate": .date,
        "quantity": .count, "type": .text, "environment": .text, "inAppOwnershipType": .text,
        "isUpgraded": .flag, "transactionReason": .text, "offerType": .integer, "offerIdentifier": .text,
        "offerDiscountType": .text, "offerPeriod": .text, "revocationReason": .integer,
        "revocationType": .text, "revocationPercentage": .integer, "storefront": .text, "storefrontId": .text,
        "price": .integer, "currency": .text, "billingPlanType": .text, "advancedCommerceInfo": .object,
        "commitmentInfo": .object, "deviceVerification": .text, "deviceVerificationNonce": .text,
    ]

    private static let renewalMembers: [String: MemberType] = [
        "originalTransactionId": .text, "appTransactionId": .text, "productId": .text,
        "autoRenewProductId": .text, "autoRenewStatus": .integer, "expirationIntent": .integer,
        "isInBillingRetryPeriod": .flag, "gracePeriodExpiresDate": .date, "priceIncreaseStatus": .integer,
        "recentSubscriptionStartDate": .date, "renewalDate": .date, "renewalPrice": .integer,
        "currency": .text, "signedDate": .date, "environment": .text,
        "offerType": .integer, "offerIdentifier": .text, "offerDiscountType": .text, "offerPeriod": .text,
        "eligibleWinBackOfferIds": .texts, "appAccountToken": .text,
        "billingPlanType": .text, "renewalBillingPlanType": .text, "advancedCommerceInfo": .object,
        "commitmentInfo": .object, "deviceVerification": .text, "deviceVerificationNonce": .text,
    ]

    private static let appTransactionMembers: [String: MemberType] = [
        "receiptType": .text, "appTransactionId": .text, "appAppleId": .integer, "bundleId": .text,
        "applicationVersion": .text, "versionExternalIdentifier": .integer, "receiptCreationDate": .date,
        "originalPurchaseDate": .date, "originalApplicationVersion": .text, "originalPlatform": .text,
        "preorderDate": .date, "requestDate": .date,
        "deviceVerification": .text, "deviceVerificationNonce": .text,
    ]

    private static let notificationMembers: [String: MemberType] = [
        "notificationType": .text, "subtype": .text, "notificationUUID": .text, "version": .text,
        "signedDate": .date, "data": .object, "summary": .object, "externalPurchaseToken": .object,
        "appData": .object,
    ]

    private static let realtimeRequestMembers: [String: MemberType] = [
        "originalTransactionId": .text, "appAppleId": .integer, "productId": .text, "userLocale": .text,
        "requestIdentifier": .text, "environment": .text, "signedDate": .date,
    ]

    /// The bodies of a notification with their members. A notification has at most one body.
    static let bodies: [(name: String, members: [String: MemberType])] = [
        (
            "data",
            [
                "environment": .text, "appAppleId": .integer, "bundleId": .text, "bundleVersion": .text,
                "status": .integer, "consumptionRequestReason": .text, "signedTransactionInfo": .text,
                "signedRenewalInfo": .text,
            ]
        ),
        (
            "summary",
            [
                "environment": .text, "appAppleId": .integer, "bundleId": .text, "productId": .text,
                "requestIdentifier": .text, "storefrontCountryCodes": .texts, "succeededCount": .integer,
                "failedCount": .integer,
            ]
        ),
        (
            "externalPurchaseToken",
            [
                "externalPurchaseId": .text, "tokenCreationDate": .date, "tokenExpirationDate": .date,
                "tokenType": .text, "appAppleId": .integer, "bundleId": .text,
            ]
        ),
        (
            "appData",
            [
                "environment": .text, "appAppleId": .integer, "bundleId": .text,
                "signedAppTransactionInfo": .text,
            ]
        ),
    ]
}
