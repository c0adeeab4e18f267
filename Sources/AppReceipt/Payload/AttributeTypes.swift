/// Types of the app's attributes that ``ReceiptPayload`` has properties for.
enum AppAttributeType: Int64, CaseIterable {
    case receiptType = 0
    case appItemID = 1
    case bundleID = 2
    case applicationVersion = 3
    case opaqueValue = 4
    case sha1Hash = 5
    case creationDate = 12
    case downloadID = 15
    case versionExternalIdentifier = 16
    case inApp = 17
    case originalPurchaseDate = 18
    case originalApplicationVersion = 19
    case expirationDate = 21

    static func isModelled(_ type: Int64) -> Bool { AppAttributeType(rawValue: type) != nil }

    /// The field's name in the JSON contract.
    var name: String {
        switch self {
        case .receiptType: "receipt_type"
        case .appItemID: "app_item_id"
        case .bundleID: "bundle_id"
        case .applicationVersion: "application_version"
        case .opaqueValue: "opaque_value"
        case .sha1Hash: "sha1_hash"
        case .creationDate: "receipt_creation_date"
        case .downloadID: "download_id"
        case .versionExternalIdentifier: "version_external_identifier"
        case .inApp: "in_app"
        case .originalPurchaseDate: "original_purchase_date"
        case .originalApplicationVersion: "original_application_version"
        case .expirationDate: "expiration_date"
        }
    }
}

/// Types of an in-app purchase's attributes that ``InAppPurchase`` has properties for.
enum InAppAttributeType: Int64, CaseIterable {
    case quantity = 1701
    case productID = 1702
    case transactionID = 1703
    case purchaseDate = 1704
    case originalTransactionID = 1705
    case originalPurchaseDate = 1706
    case productType = 1707
    case expiresDate = 1708
    case webOrderLineItemID = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isInIntroOfferPeriod = 1719
    case cancellationReason = 1720
    case promotionalOfferIdentifier = 1721

    static func isModelled(_ type: Int64) -> Bool { InAppAttributeType(rawValue: type) != nil }

    /// The field's name in the JSON contract.
    var name: String {
        switch self {
        case .quantity: "quantity"
        case .productID: "product_id"
        case .transactionID: "transaction_id"
        case .purchaseDate: "purchase_date"
        case .originalTransactionID: "original_transaction_id"
        case .originalPurchaseDate: "original_purchase_date"
        case .productType: "product_type"
        case .expiresDate: "expires_date"
        case .webOrderLineItemID: "web_order_line_item_id"
        case .cancellationDate: "cancellation_date"
        case .isTrialPeriod: "is_trial_period"
        case .isInIntroOfferPeriod: "is_in_intro_offer_period"
        case .cancellationReason: "cancellation_reason"
        case .promotionalOfferIdentifier: "promotional_offer_identifier"
        }
    }
}
