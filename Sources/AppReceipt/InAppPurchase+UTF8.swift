/// A stretch of UTF-8 in a buffer that is kept elsewhere.
package struct TextSlice: Hashable, Sendable {
    package let offset: UInt32
    package let count: UInt32

    package init(offset: Int, count: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}

/// What the rules of eligibility ask of a purchase: numbers, and text as places in ``ReceiptPayload/bytes``.
///
/// The text properties of ``InAppPurchase`` make a String each time, which costs more than judging a purchase.
package struct PurchaseFacts: Sendable {
    package let productID: TextSlice?
    package let transactionID: TextSlice?
    package let originalTransactionID: TextSlice?
    package let promotionalOfferIdentifier: TextSlice?
    package let purchaseDate: Timestamp?
    package let expiresDate: Timestamp?
    package let cancellationDate: Timestamp?
    package let productType: ProductType?
    package let isTrialPeriod: Bool?
    package let isInIntroOfferPeriod: Bool?
}

extension ReceiptPayload {
    /// Attribute 2 as a place in ``bytes``.
    package var bundleIDSlice: TextSlice? { TextSlice(storage.app.bundleID) }

    /// The facts of every purchase, in the receipt's order.
    package func mapPurchaseFacts<Element>(_ transform: (PurchaseFacts) -> Element) -> [Element] {
        storage.purchases.map { record in
            transform(
                PurchaseFacts(
                    productID: TextSlice(record.productID),
                    transactionID: TextSlice(record.transactionID),
                    originalTransactionID: TextSlice(record.originalTransactionID),
                    promotionalOfferIdentifier: TextSlice(record.promotionalOfferIdentifier),
                    purchaseDate: record.purchaseDate.value,
                    expiresDate: record.expiresDate.value,
                    cancellationDate: record.cancellationDate.value,
                    productType: record.productType.map(ProductType.init),
                    isTrialPeriod: record.isTrialPeriod,
                    isInIntroOfferPeriod: record.isInIntroOfferPeriod))
        }
    }
}

extension TextSlice {
    fileprivate init?(_ slice: PayloadSlice) {
        guard let range = slice.range else { return nil }
        self.init(offset: range.lowerBound, count: range.count)
    }
}
