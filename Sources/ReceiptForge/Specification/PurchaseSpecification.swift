/// An entry of `in_app`. `repeat` makes a series of periods: `{"count": 12, "days": 30}`.
struct PurchaseSpecification: Decodable {
    var purchases: [PurchaseContent]

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        let productID: String = try object.required("product_id")
        let transactionID: String = try object.required("transaction_id")
        let purchaseDate: String = try object.required("purchase_date")
        let expiry: String? = try object.value("expires_date")
        var first =
            expiry.map {
                PurchaseContent.subscription(
                    productID: productID, transactionID: transactionID, purchaseDate: purchaseDate,
                    expiresDate: $0)
            }
            ?? PurchaseContent(
                productID: productID, transactionID: transactionID, purchaseDate: purchaseDate)
        try object.take("quantity", &first.quantity)
        try object.take("original_transaction_id", &first.originalTransactionID)
        try object.takeDate("original_purchase_date", &first.originalPurchaseDate)
        try object.takeDate("cancellation_date", &first.cancellationDate)
        try object.take("cancellation_reason", &first.cancellationReason)
        try object.take("is_trial_period", &first.isTrialPeriod)
        try object.take("is_in_intro_offer_period", &first.isInIntroOfferPeriod)
        try object.take("promotional_offer_identifier", &first.promotionalOfferIdentifier)
        try object.takeIdentifier("web_order_line_item_id", &first.webOrderLineItemID)
        if let name: String = try object.value("product_type") {
            let names = [
                "non_consumable", "consumable", "non_renewing_subscription", "auto_renewable_subscription",
                "free_subscription",
            ]
            let number = names.firstIndex(of: name) ?? Int(name.dropFirst("unknown_".count))
            guard let number, names.contains(name) || name.hasPrefix("unknown_") else {
                throw object.error("product_type", "'\(name)' is not a product type")
            }
            first.productType = number
        } else if object.contains("product_type") {
            first.productType = nil
        }
        try object.takeAttributes(&first.otherAttributes, &first.omittedTypes)
        purchases = [first]
        try object.nested("repeat") { object in
            let count: Int = try object.required("count")
            let days: Int = try object.required("days")
            guard (1...100_000).contains(count) else {
                throw object.error("count", "must be a number from 1 to 100000")
            }
            guard (0...3_660).contains(days) else {
                throw object.error("days", "must be a number from 0 to 3660")
            }
            let number = Int(transactionID)
            guard let number, UTCDate.seconds(purchaseDate) != nil, number < .max - count else {
                throw object.error("count", "requires a numeric transaction_id and dates in UTC")
            }
            purchases = (0..<count).map { first.repeated($0, days: days, transaction: number + $0) }
        }
        try object.finish()
    }
}

extension PurchaseContent {
    /// Returns the purchase `number` times `days` later.
    fileprivate func repeated(_ number: Int, days: Int, transaction: Int) -> PurchaseContent {
        func later(_ date: String?) -> String? {
            guard let date, let seconds = UTCDate.seconds(date) else { return date }
            return UTCDate.text(seconds + number * days * UTCDate.day)
        }
        var copy = self
        copy.transactionID = String(transaction)
        copy.purchaseDate = later(purchaseDate)
        copy.expiresDate = later(expiresDate)
        copy.cancellationDate = later(cancellationDate)
        if productType == 3 {
            copy.webOrderLineItemID = webOrderLineItemID.map { $0 &+ UInt64(number) }
        } else {
            copy.originalTransactionID = copy.transactionID
            copy.originalPurchaseDate = copy.purchaseDate
        }
        return copy
    }
}
