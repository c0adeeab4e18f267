/// One in-app purchase as an App Store receipt holds it (attribute 17). nil leaves an attribute out.
///
/// Dates are text (RFC 3339), so that bad ones can be forged; the empty string is how receipts
/// say "no date". See Apple's "Receipt Fields" for the documented attributes.
public struct PurchaseContent: Hashable, Sendable {
    /// 1701
    public var quantity: Int? = 1
    /// 1702
    public var productID: String?
    /// 1703
    public var transactionID: String?
    /// 1705; absent from Xcode's receipts.
    public var originalTransactionID: String?
    /// 1704
    public var purchaseDate: String?
    /// 1706
    public var originalPurchaseDate: String?
    /// 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable, 4 free subscription.
    public var productType: Int?
    /// 1708; empty for everything but subscriptions.
    public var expiresDate: String? = ""
    /// 1711
    public var webOrderLineItemID: UInt64? = 0
    /// 1712; empty where nothing was cancelled.
    public var cancellationDate: String? = ""
    /// 1713
    public var isTrialPeriod: Bool? = false
    /// 1719; absent from receipts before 2019 and of products that don't renew.
    public var isInIntroOfferPeriod: Bool?
    /// 1720; only where 1712 says when.
    public var cancellationReason: Int?
    /// 1721
    public var promotionalOfferIdentifier: String?
    /// Attributes without a property here: those whose meaning is not settled, duplicates, damage.
    public var otherAttributes: [ReceiptAttribute] = Self.usualOtherAttributes
    /// Types to leave out, whatever the properties say.
    public var omittedTypes: Set<Int> = []

    /// The attributes of unknown meaning that receipts since 2023 have: empty strings and a zero.
    public static let usualOtherAttributes: [ReceiptAttribute] =
        [1709, 1714, 1715, 1716, 1717, 1718].map { .utf8String($0, "") }
        + [.integer(1710, 1_472_911_220), .integer(1722, 0)]

    /// A purchase of something that doesn't renew.
    ///
    /// - Parameters:
    ///   - productID: the product.
    ///   - transactionID: of the purchase, and of the original one.
    ///   - purchaseDate: RFC 3339; the original date too.
    ///   - type: see ``productType``.
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

    /// A period of an auto-renewable subscription.
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

    /// Every attribute, in order of type.
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
