extension InAppPurchase: Encodable {
    private enum CodingKeys: String, CodingKey {
        case quantity
        case productID = "product_id"
        case productType = "product_type"
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case purchaseDate = "purchase_date"
        case originalPurchaseDate = "original_purchase_date"
        case expiresDate = "expires_date"
        case cancellationDate = "cancellation_date"
        case cancellationReason = "cancellation_reason"
        case isTrialPeriod = "is_trial_period"
        case isInIntroOfferPeriod = "is_in_intro_offer_period"
        case promotionalOfferIdentifier = "promotional_offer_identifier"
        case webOrderLineItemID = "web_order_line_item_id"
        case unknown
    }

    /// Encodes the purchase object of the JSON contract. Absent values are null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(quantity, forKey: .quantity)
        try container.encode(productID, forKey: .productID)
        try container.encode(productType, forKey: .productType)
        try container.encode(transactionID, forKey: .transactionID)
        try container.encode(originalTransactionID, forKey: .originalTransactionID)
        try container.encode(purchaseDate, forKey: .purchaseDate)
        try container.encode(originalPurchaseDate, forKey: .originalPurchaseDate)
        try container.encode(expiresDate, forKey: .expiresDate)
        try container.encode(cancellationDate, forKey: .cancellationDate)
        try container.encode(cancellationReason, forKey: .cancellationReason)
        try container.encode(isTrialPeriod, forKey: .isTrialPeriod)
        try container.encode(isInIntroOfferPeriod, forKey: .isInIntroOfferPeriod)
        try container.encode(promotionalOfferIdentifier, forKey: .promotionalOfferIdentifier)
        try container.encode(webOrderLineItemID.map { String($0) }, forKey: .webOrderLineItemID)
        try container.encode(unknownAttributes, forKey: .unknown)
    }
}

extension InAppProductType: Encodable {
    /// Encodes ``name``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension UnknownAttribute: Encodable {
    private enum CodingKeys: String, CodingKey { case type, version, value }

    /// Encodes type, version, and the value as hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(version, forKey: .version)
        try container.encode(hexadecimal(value), forKey: .value)
    }
}
