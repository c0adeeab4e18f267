import AppReceipt

/// The identity of a subscription's period. It is equal in the receipts of all devices, in which restored transactions have
/// identifiers of their own, and before and after an extension.
struct PeriodIdentity: Hashable {
    private let original: [UInt8]
    private let product: [UInt8]
    private let purchased: Int64

    /// Creates the identity of a transaction's period, or returns nil if it is not a subscription, or if a value is missing.
    init?(_ transaction: Transaction, in history: PurchaseHistory) {
        guard transaction.isSubscription, let purchased = transaction.purchased,
            let original = transaction.original.map({ Array(history.text[$0.range]) }),
            let product = transaction.product.map({ Array(history.text[$0.range]) }),
            original.isUsableIdentifier
        else { return nil }
        (self.original, self.product) = (original, product)
        self.purchased = purchased.secondsSince1970
    }
}

extension Collection<UInt8> {
    /// Whether an identifier identifies something. Those of Xcode are absent or "0".
    var isUsableIdentifier: Bool { !isEmpty && !elementsEqual([UInt8(ascii: "0")]) }
}
