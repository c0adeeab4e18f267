/// The `receipt` object of a specification: the fields of `appreceipt verify --json`, and a few more.
///
/// `receipt_type` decides the shape of what is not said: production, sandbox or Xcode. `unknown`
/// replaces the usual attributes of unknown meaning, `extra` adds any, `omit` leaves types out.
struct ReceiptSpecification: Decodable {
    var content: ReceiptContent

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        let type: String? = try object.value("receipt_type")
        content =
            switch type {
            case "Xcode": .xcode()
            case let type? where type.hasSuffix("Sandbox"): .sandbox()
            default: ReceiptContent()
            }
        try object.take("receipt_type", &content.receiptType)
        try object.take("bundle_id", &content.bundleID)
        try object.take("application_version", &content.applicationVersion)
        try object.take("original_application_version", &content.originalApplicationVersion)
        try object.takeDate("receipt_creation_date", &content.creationDate)
        try object.takeDate("original_purchase_date", &content.originalPurchaseDate)
        try object.takeDate("expiration_date", &content.expirationDate)
        try object.takeIdentifier("app_item_id", &content.appItemID)
        try object.takeIdentifier("download_id", &content.downloadID)
        try object.takeIdentifier("version_external_identifier", &content.versionExternalIdentifier)
        try object.takeHex("opaque_value", &content.opaqueValue)
        try object.takeHex("sha1_hash", &content.sha1Hash)
        try object.takeHex("device_id", &content.deviceID)
        try object.take("sorted", &content.sorted)
        let purchases: [PurchaseSpecification] = try object.value("in_app") ?? []
        content.purchases = purchases.flatMap(\.purchases)
        if type == "Xcode" {
            content.purchases = ReceiptContent.xcode(purchases: content.purchases).purchases
        }
        let extra = try object.otherAttributes(&content.otherAttributes)
        // The shape's usual "signed at" follows the creation date, as in genuine receipts.
        if extra.followsCreation, content.receiptType?.hasSuffix("Sandbox") == false, type != "Xcode",
            let creation = content.creationDate
        {
            content.replace(.ia5String(8, creation))
        }
        content.otherAttributes += extra.attributes
        content.omittedTypes = extra.omitted
        try object.finish()
    }
}

/// An entry of `in_app`. `repeat` makes a row of periods: `{"count": 12, "days": 30}`.
struct PurchaseSpecification: Decodable {
    var purchases: [PurchaseContent]

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        let productID: String = try object.required("product_id")
        let transactionID: String = try object.required("transaction_id")
        let purchaseDate: String = try object.required("purchase_date")
        let expiry: String? = try object.value("expires_date")
        var first: PurchaseContent
        if let expiry {
            first = .subscription(
                productID: productID, transactionID: transactionID, purchaseDate: purchaseDate,
                expiresDate: expiry)
        } else {
            first = PurchaseContent(
                productID: productID, transactionID: transactionID, purchaseDate: purchaseDate)
        }
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
                throw object.error("product_type", "\"\(name)\" is no product type")
            }
            first.productType = number
        } else if object.contains("product_type") {
            first.productType = nil
        }
        let extra = try object.otherAttributes(&first.otherAttributes)
        first.otherAttributes += extra.attributes
        first.omittedTypes = extra.omitted
        purchases = [first]
        try object.nested("repeat") { object in
            let count: Int = try object.required("count")
            let days: Int = try object.required("days")
            guard (1...100_000).contains(count) else { throw object.error("count", "expected 1 to 100000") }
            guard (0...3_660).contains(days) else { throw object.error("days", "expected 0 to 3660") }
            let number = Int(transactionID)
            guard let number, UTCDate.seconds(purchaseDate) != nil, number < .max - count else {
                throw object.error("count", "needs a number as transaction_id and dates in UTC")
            }
            purchases = (0..<count).map { first.repeated($0, days: days, transaction: number + $0) }
        }
        try object.finish()
    }
}

extension PurchaseContent {
    /// Without what Xcode never writes, unless it was asked for.
    fileprivate var inXcode: PurchaseContent {
        var purchase = self
        if originalTransactionID == transactionID { purchase.originalTransactionID = nil }
        if otherAttributes == Self.usualOtherAttributes { purchase.otherAttributes = [] }
        return purchase
    }

    /// This purchase as it comes back `number` times `days` later.
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

/// An element of `unknown` or `extra`: `{"type": 9, "version": 1, "value": "<hex>"}`.
private struct AttributeSpecification: Decodable {
    var attribute: ReceiptAttribute

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        var value: [UInt8]? = []
        try object.takeHex("value", &value)
        attribute = ReceiptAttribute(
            try object.required("type"), version: try object.value("version") ?? 1, value: value ?? [])
        try object.finish()
    }
}

extension SpecificationObject {
    fileprivate struct Extra {
        var attributes: [ReceiptAttribute]
        var omitted: Set<Int>
        /// Whether the attributes of unknown meaning are the usual ones.
        var followsCreation: Bool
    }

    fileprivate mutating func otherAttributes(_ usual: inout [ReceiptAttribute]) throws -> Extra {
        let unknown: [AttributeSpecification]? = try value("unknown")
        if let unknown { usual = unknown.map(\.attribute) }
        let extra: [AttributeSpecification] = try value("extra") ?? []
        let omitted: [Int] = try value("omit") ?? []
        return Extra(
            attributes: extra.map(\.attribute), omitted: Set(omitted), followsCreation: unknown == nil)
    }
}
