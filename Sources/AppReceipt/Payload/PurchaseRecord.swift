/// The attributes of one in-app purchase, as places and numbers.
package struct PurchaseRecord: Sendable {
    package var attributes = PayloadSlice.absent
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
