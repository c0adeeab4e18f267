import ReceiptASN1

/// The attributes of an in-app purchase, as numbers and ranges of the payload. Everything about an attribute
/// is in this file, except its property of ``InAppPurchase``.
package struct PurchaseRecord: Sendable {
    package var attributes = PayloadSlice.absent
    /// The range of the purchase's attributes in the storage's list of unknown attributes.
    var unknown: Range<UInt32> = 0..<0
    package var productID = PayloadSlice.absent
    package var transactionID = PayloadSlice.absent
    package var originalTransactionID = PayloadSlice.absent
    package var promotionalOfferIdentifier = PayloadSlice.absent
    package var purchaseDate = PayloadDate.absent
    package var originalPurchaseDate = PayloadDate.absent
    package var expiresDate = PayloadDate.absent
    package var cancellationDate = PayloadDate.absent
    package var webOrderLineItemID: UInt64?
    package var cancellationReason: Int64?
    package var quantity: UInt32?
    package var productType: UInt32?
    package var isTrialPeriod: Bool?
    package var isInIntroOfferPeriod: Bool?
}

extension PurchaseRecord {
    /// Visits the rows in the order of the JSON contract.
    @inlinable
    @inline(__always)
    package func visit(_ visitor: inout (some AttributeVisitor & ~Copyable), of bytes: [UInt8]) {
        visitor.integer(1701, "quantity", quantity.map(Int64.init))
        visitor.text(1702, "product_id", productID, of: bytes)
        visitor.productType(1707, "product_type", productType.map(InAppProductType.init))
        visitor.text(1703, "transaction_id", transactionID, of: bytes)
        visitor.text(1705, "original_transaction_id", originalTransactionID, of: bytes)
        visitor.date(1704, "purchase_date", purchaseDate.value)
        visitor.date(1706, "original_purchase_date", originalPurchaseDate.value)
        visitor.date(1708, "expires_date", expiresDate.value)
        visitor.date(1712, "cancellation_date", cancellationDate.value)
        visitor.integer(1720, "cancellation_reason", cancellationReason)
        visitor.flag(1713, "is_trial_period", isTrialPeriod)
        visitor.flag(1719, "is_in_intro_offer_period", isInIntroOfferPeriod)
        visitor.text(1721, "promotional_offer_identifier", promotionalOfferIdentifier, of: bytes)
        visitor.identifier(1711, "web_order_line_item_id", webOrderLineItemID)
    }

    @inline(__always)
    mutating func set(
        _ type: Int64, _ value: borrowing AttributeValue, _ leniencies: inout ASN1Leniencies
    ) throws(ASN1Error) {
        switch type {
        case 1701: quantity = try value.count(&leniencies)
        case 1702: productID = try value.text(&leniencies)
        case 1703: transactionID = try value.text(&leniencies)
        case 1704: purchaseDate = try value.date(&leniencies)
        case 1705: originalTransactionID = try value.text(&leniencies)
        case 1706: originalPurchaseDate = try value.date(&leniencies)
        case 1707: productType = try value.count(&leniencies)
        case 1708: expiresDate = try value.date(&leniencies)
        case 1711: webOrderLineItemID = try value.identifier(&leniencies)
        case 1712: cancellationDate = try value.date(&leniencies)
        case 1713: isTrialPeriod = try value.flag(&leniencies)
        case 1719: isInIntroOfferPeriod = try value.flag(&leniencies)
        case 1720: cancellationReason = try value.integer(&leniencies)
        case 1721: promotionalOfferIdentifier = try value.text(&leniencies)
        default: break
        }
    }

    /// The attributes without a row, with their presumed meanings. They are unknown attributes.
    static let others: [AttributeTable.Row] = [
        .init(1709, "reserved text"), .init(1710, "App Store id of the product"),
        .init(1714, "reserved text"), .init(1715, "reserved text"), .init(1716, "reserved text"),
        .init(1717, "reserved text"), .init(1718, "reserved text"), .init(1722, "reserved number"),
    ]
}
