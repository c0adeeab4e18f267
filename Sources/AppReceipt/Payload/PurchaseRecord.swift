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

    package init() {}
}

extension PurchaseRecord {
    /// Visits the rows in the order of the JSON contract.
    @inlinable
    @inline(__always)
    package func visit(_ visitor: inout (some AttributeVisitor & ~Copyable), of bytes: [UInt8]) {
        visitor.visit(1701, "quantity", .integer(quantity.map(Int64.init)), of: bytes)
        visitor.visit(1702, "product_id", .text(productID), of: bytes)
        visitor.visit(1707, "product_type", .productType(productType.map(InAppProductType.init)), of: bytes)
        visitor.visit(1703, "transaction_id", .text(transactionID), of: bytes)
        visitor.visit(1705, "original_transaction_id", .text(originalTransactionID), of: bytes)
        visitor.visit(1704, "purchase_date", .date(purchaseDate.value), of: bytes)
        visitor.visit(1706, "original_purchase_date", .date(originalPurchaseDate.value), of: bytes)
        visitor.visit(1708, "expires_date", .date(expiresDate.value), of: bytes)
        visitor.visit(1712, "cancellation_date", .date(cancellationDate.value), of: bytes)
        visitor.visit(1720, "cancellation_reason", .integer(cancellationReason), of: bytes)
        visitor.visit(1713, "is_trial_period", .flag(isTrialPeriod), of: bytes)
        visitor.visit(1719, "is_in_intro_offer_period", .flag(isInIntroOfferPeriod), of: bytes)
        visitor.visit(1721, "promotional_offer_identifier", .text(promotionalOfferIdentifier), of: bytes)
        visitor.visit(1711, "web_order_line_item_id", .identifier(webOrderLineItemID), of: bytes)
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
