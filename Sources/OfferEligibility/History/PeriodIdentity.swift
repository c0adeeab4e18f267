package import AppReceipt

/// The identity of a subscription's period. It is equal in the receipts of all devices, in which restored transactions have
/// identifiers of their own, and before and after an extension.
package struct PeriodIdentity: Hashable {
    private let original: [UInt8]
    private let product: [UInt8]
    private let purchased: Int64

    /// Creates the identity of a subscription's period, or returns nil if a value is missing.
    package init?(original: [UInt8]?, product: [UInt8]?, purchased: Timestamp?) {
        guard let original, let product, let purchased, original.isUsableIdentifier else { return nil }
        (self.original, self.product) = (original, product)
        self.purchased = purchased.secondsSince1970
    }

    /// Creates the identity of a purchase's period, or returns nil if the purchase is not a subscription, or if a value is missing.
    /// - Parameter text: The text that the purchase's slices are in.
    package init?(_ purchase: PurchaseFacts, in text: [UInt8]) {
        guard purchase.isSubscription else { return nil }
        self.init(
            original: purchase.original.map { Array(text[$0.range]) },
            product: purchase.product.map { Array(text[$0.range]) }, purchased: purchase.purchased)
    }
}

extension Collection<UInt8> {
    /// Whether an identifier identifies something. Those of Xcode are absent or "0".
    package var isUsableIdentifier: Bool { !isEmpty && !elementsEqual([UInt8(ascii: "0")]) }
}
