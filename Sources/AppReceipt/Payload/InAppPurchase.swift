/// An in-app purchase of a receipt: an attribute 17. Every value may be absent.
public struct InAppPurchase: Sendable {
    let storage: PayloadStorage
    let index: Int

    /// All values, with text as ranges of ``ReceiptPayload/bytes``. Creating a String for each would take
    /// longer than writing it.
    package var record: PurchaseRecord { storage.purchases[index] }

    /// Attribute 1701.
    public var quantity: UInt32? { record.quantity }

    /// Attribute 1702.
    public var productID: String? { storage.text(record.productID) }

    /// Attribute 1707; absent in some older receipts and Xcode receipts.
    public var productType: InAppProductType? { record.productType.map(InAppProductType.init) }

    /// Attribute 1703; "0" in Xcode receipts.
    public var transactionID: String? { storage.text(record.transactionID) }

    /// Attribute 1705; absent in Xcode receipts.
    public var originalTransactionID: String? { storage.text(record.originalTransactionID) }

    /// Attribute 1704.
    public var purchaseDate: Timestamp? { record.purchaseDate.value }

    /// Attribute 1706; can be seconds to weeks later than ``purchaseDate``.
    public var originalPurchaseDate: Timestamp? { record.originalPurchaseDate.value }

    /// Attribute 1708: the end of a subscription period.
    public var expiresDate: Timestamp? { record.expiresDate.value }

    /// Attribute 1712: the date of the refund, the revocation, or the upgrade that replaced the purchase.
    public var cancellationDate: Timestamp? { record.cancellationDate.value }

    /// Attribute 1720: 1 if the customer named an issue with the app, else 0.
    public var cancellationReason: Int64? { record.cancellationReason }

    /// Attribute 1713.
    public var isTrialPeriod: Bool? { record.isTrialPeriod }

    /// Attribute 1719; absent before 2019.
    public var isInIntroOfferPeriod: Bool? { record.isInIntroOfferPeriod }

    /// Attribute 1721.
    public var promotionalOfferIdentifier: String? { storage.text(record.promotionalOfferIdentifier) }

    /// Attribute 1711.
    public var webOrderLineItemID: UInt64? { record.webOrderLineItemID }

    /// All attributes without a property here, complete and in the receipt's order.
    public var unknownAttributes: [UnknownAttribute] {
        var attributes: [UnknownAttribute] = []
        forEachUnknownAttribute { attributes.append(UnknownAttribute($0, of: storage.bytes)) }
        return attributes
    }

    /// Calls `body` with every attribute, in the receipt's order.
    package func forEachAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachAttribute(in: record.attributes, body)
    }

    /// Calls `body` with every attribute without a property, as ranges of ``ReceiptPayload/bytes`` rather
    /// than copies.
    package func forEachUnknownAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachUnknownAttribute(in: record.unknown, body)
    }
}
