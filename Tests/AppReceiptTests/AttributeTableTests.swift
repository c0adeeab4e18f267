import AppReceipt
import ReceiptForge
import Testing

/// The attribute table: each type is either a named attribute or an unknown attribute that is kept.
struct AttributeTableTests {
    /// A NULL, which no named attribute accepts as its value.
    private static let unreadable: [UInt8] = [0x05, 0x00]

    private func payload(_ content: ReceiptContent) throws -> Result<ReceiptPayload, ReceiptError> {
        let bytes = try ReceiptRecipe(content, authority: .test()).forge().bytes
        return Result { () throws(ReceiptError) in try UnverifiedReceipt(parsing: bytes).payload }
    }

    @Test(arguments: 1690...1770)
    func everyPurchaseAttributeIsNamedOrKept(type: Int) throws {
        var purchase = PurchaseContent(productID: "p", transactionID: "1", purchaseDate: "")
        purchase.quantity = nil
        purchase.productID = nil
        purchase.transactionID = nil
        purchase.originalTransactionID = nil
        purchase.purchaseDate = nil
        purchase.originalPurchaseDate = nil
        purchase.productType = nil
        purchase.expiresDate = nil
        purchase.cancellationDate = nil
        purchase.isTrialPeriod = nil
        purchase.isInIntroOfferPeriod = nil
        purchase.otherAttributes = [ReceiptAttribute(type, value: Self.unreadable)]
        switch try payload(ReceiptContent(purchases: [purchase])) {
        case .success(let payload):
            #expect(payload.inAppPurchases[0].unknownAttributes.map(\.type) == [Int64(type)])
        case .failure(let error):
            #expect(error.code == .malformed)
            #expect(error.field?.hasPrefix("payload.in_app[0].") == true)
        }
    }

    /// Checks attribute types 0 to 70. Types 2 and 12 are required, 4 and 5 hold arbitrary bytes, and 17 is a
    /// purchase.
    @Test(arguments: Array(0...70).filter { ![2, 4, 5, 12, 17].contains($0) })
    func everyAppAttributeIsNamedOrKept(type: Int) throws {
        var content = ReceiptContent()
        content.receiptType = nil
        content.appItemID = nil
        content.applicationVersion = nil
        content.downloadID = nil
        content.versionExternalIdentifier = nil
        content.originalPurchaseDate = nil
        content.originalApplicationVersion = nil
        content.otherAttributes = [ReceiptAttribute(type, value: Self.unreadable)]
        switch try payload(content) {
        case .success(let payload): #expect(payload.unknownAttributes.map(\.type) == [Int64(type)])
        case .failure(let error):
            #expect(error.code == .malformed)
            #expect(error.field?.hasPrefix("payload.") == true)
        }
    }
}
