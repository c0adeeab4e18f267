/// The content of one in-app purchase in an App Store receipt (attribute 17). Nil omits an attribute.
///
/// Dates are RFC 3339 text, so that a test can forge invalid ones. In receipts, the empty string means "no
/// date". Apple's "Receipt Fields" describes the documented attributes.
public struct PurchaseContent: Hashable, Sendable {
    /// Attribute 1701.
    public var quantity: Int? = 1
    /// Attribute 1702.
    public var productID: String?
    /// Attribute 1703.
    public var transactionID: String?
    /// Attribute 1705, absent from Xcode's receipts.
    public var originalTransactionID: String?
    /// Attribute 1704.
    public var purchaseDate: String?
    /// Attribute 1706.
    public var originalPurchaseDate: String?
    /// Attribute 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable, 4 free subscription.
    public var productType: Int?
    /// Attribute 1708, empty for purchases other than subscriptions.
    public var expiresDate: String? = ""
    /// Attribute 1711.
    public var webOrderLineItemID: UInt64? = 0
    /// Attribute 1712, empty if the purchase was not canceled.
    public var cancellationDate: String? = ""
    /// Attribute 1713.
    public var isTrialPeriod: Bool? = false
    /// Attribute 1719, absent from receipts before 2019 and from products that do not renew.
    public var isInIntroOfferPeriod: Bool?
    /// Attribute 1720, present only if attribute 1712 has a date.
    public var cancellationReason: Int?
    /// Attribute 1721.
    public var promotionalOfferIdentifier: String?
    /// Attributes without a property here: those without a known meaning, duplicates, and damage.
    public var otherAttributes: [ReceiptAttribute] = Self.usualOtherAttributes
    /// The attribute types to omit, regardless of the properties.
    public var omittedTypes: Set<Int> = []

    /// The attributes of unknown meaning in receipts since 2023: six empty strings and two integers.
    public static let usualOtherAttributes: [ReceiptAttribute] =
        [1709, 1714, 1715, 1716, 1717, 1718].map { .utf8String($0, "") }
        + [.integer(1710, 1_472_911_220), .integer(1722, 0)]

    /// Creates a purchase that does not renew.
    ///
    /// - Parameters:
    ///   - productID: The product identifier.
    ///   - transactionID: The transaction identifier, also used as the original one.
    ///   - purchaseDate: The date in RFC 3339, also used as the original one.
    ///   - type: The value of ``productType``.
    public init(
        productID: String, transactionID: String, purchaseDate: String, type: Int = 0
    ) {
        self.productID = productID
        self.transactionID = transactionID
        originalTransactionID = transactionID
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        productType = type
    }

    /// Returns a period of an auto-renewable subscription.
    public static func subscription(
        productID: String, transactionID: String, originalTransactionID: String? = nil, purchaseDate: String,
        expiresDate: String
    ) -> PurchaseContent {
        var purchase = PurchaseContent(
            productID: productID, transactionID: transactionID, purchaseDate: purchaseDate, type: 3)
        purchase.originalTransactionID = originalTransactionID ?? transactionID
        purchase.expiresDate = expiresDate
        purchase.isInIntroOfferPeriod = false
        purchase.webOrderLineItemID = UInt64(transactionID).map { $0 &+ 7 } ?? 0
        return purchase
    }

    /// The attributes in order of type, followed by ``otherAttributes``.
    public var attributes: [ReceiptAttribute] {
        var list: [ReceiptAttribute?] = [
            quantity.map { .integer(1701, $0) },
            productID.map { .utf8String(1702, $0) },
            transactionID.map { .utf8String(1703, $0) },
            purchaseDate.map { .ia5String(1704, $0) },
            originalTransactionID.map { .utf8String(1705, $0) },
            originalPurchaseDate.map { .ia5String(1706, $0) },
            productType.map { .integer(1707, $0) },
            expiresDate.map { .ia5String(1708, $0) },
            webOrderLineItemID.map { .integer(1711, $0) },
            cancellationDate.map { .ia5String(1712, $0) },
            isTrialPeriod.map { .integer(1713, $0 ? 1 : 0) },
            isInIntroOfferPeriod.map { .integer(1719, $0 ? 1 : 0) },
            cancellationReason.map { .integer(1720, $0) },
            promotionalOfferIdentifier.map { .utf8String(1721, $0) },
        ]
        list += otherAttributes
        return list.compactMap { $0 }.leavingOut(omittedTypes)
    }
}
