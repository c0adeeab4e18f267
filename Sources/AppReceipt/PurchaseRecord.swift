/// The attributes of one in-app purchase, as places and numbers.
struct PurchaseRecord: Sendable {
    var attributes = PayloadSlice.absent
    var productID = PayloadSlice.absent
    var transactionID = PayloadSlice.absent
    var originalTransactionID = PayloadSlice.absent
    var promotionalOfferIdentifier = PayloadSlice.absent
    var purchaseDate = PayloadDate.absent
    var originalPurchaseDate = PayloadDate.absent
    var expiresDate = PayloadDate.absent
    var cancellationDate = PayloadDate.absent
    var webOrderLineItemID: UInt64?
    var cancellationReason: Int64?
    var quantity: UInt32?
    var productType: UInt32?
    var isTrialPeriod: Bool?
    var isInIntroOfferPeriod: Bool?
}
