extension ReceiptContent {
    /// Returns a plausible receipt: an app and its purchases, sometimes with a trial, an offer or a refund.
    ///
    /// The same generator state gives the same receipt, on every machine and in every version.
    public static func random(using generator: inout some RandomNumberGenerator) -> ReceiptContent {
        let firstOf2019 = 1_546_300_800
        let creation = firstOf2019 + generator.below(7 * 365) * UTCDate.day + generator.below(UTCDate.day)
        let bundleID = "com.example.app\(generator.below(40))"
        var content = generator.chance(10) ? sandbox(bundleID: bundleID) : ReceiptContent(bundleID: bundleID)
        if content.receiptType == "Production" {
            content.appItemID = UInt64(1_000_000_000 + generator.below(600_000_000))
            content.downloadID = UInt64(50_000_000_000_000 + generator.below(40_000_000_000_000))
            content.versionExternalIdentifier = UInt64(800_000_000 + generator.below(90_000_000))
            content.originalPurchaseDate = UTCDate.text(creation - generator.below(1_500) * UTCDate.day - 61)
            content.replace(.ia5String(8, UTCDate.text(creation - generator.below(1_400))))
            if generator.chance(4) {
                content.receiptType = "ProductionVPP"
                content.expirationDate = UTCDate.text(creation + 365 * UTCDate.day)
            }
        }
        content.creationDate = UTCDate.text(creation)
        content.applicationVersion = "\(1 + generator.below(9)).\(generator.below(20))"
        content.opaqueValue = generator.bytes(16)
        content.deviceID = generator.bytes(16)
        content.replace(ReceiptAttribute(6, value: generator.bytes(39 + generator.below(68))))
        content.replace(ReceiptAttribute(7, value: generator.bytes(39 + generator.below(68))))
        var transaction = 200_000_000_000_000 + generator.below(800_000_000_000_000)
        for _ in 0..<generator.below(3) {
            content.purchases += subscription(
                bundleID, until: creation, transaction: &transaction, using: &generator)
        }
        for _ in 0..<generator.below(4) {
            transaction += 1 + generator.below(90_000)
            content.purchases.append(
                PurchaseContent(
                    productID: "\(bundleID).item\(generator.below(12))", transactionID: String(transaction),
                    purchaseDate: UTCDate.text(creation - generator.below(900 * UTCDate.day) - 1),
                    type: generator.below(3)))
        }
        return content
    }

    /// Returns a subscription's periods up to the creation date. Some begin with a trial or an offer, and a
    /// few are refunded.
    private static func subscription(
        _ bundleID: String, until creation: Int, transaction: inout Int,
        using generator: inout some RandomNumberGenerator
    ) -> [PurchaseContent] {
        let period = [7, 30, 30, 30, 365][generator.below(5)] * UTCDate.day
        let count = 1 + generator.below(8)
        let product = "\(bundleID).\(period > 31 * UTCDate.day ? "yearly" : "monthly")"
        var date = creation - count * period + generator.below(period / 2)
        transaction += 1 + generator.below(90_000)
        let original = String(transaction)
        var purchases: [PurchaseContent] = []
        for number in 0..<count where date <= creation {
            var purchase = PurchaseContent.subscription(
                productID: product, transactionID: String(transaction), originalTransactionID: original,
                purchaseDate: UTCDate.text(date), expiresDate: UTCDate.text(date + period))
            purchase.originalPurchaseDate = purchases.first?.purchaseDate ?? UTCDate.text(date + 2)
            if number == 0 {
                let offer = generator.below(100)
                purchase.isTrialPeriod = offer < 35
                purchase.isInIntroOfferPeriod = offer >= 25 && offer < 45
            } else if generator.chance(3) {
                purchase.promotionalOfferIdentifier = "comeback"
            }
            if generator.chance(2) {
                purchase.cancellationDate = UTCDate.text(min(date + period / 2, creation))
                purchase.cancellationReason = generator.below(2)
            }
            purchases.append(purchase)
            date += period
            transaction += 1 + generator.below(90_000)
        }
        return purchases
    }
}
