// Malformed purchases.
extension HostileVariant {
    static let purchases: [HostileVariant] = [
        purchase("purchase-bad-expiry", "an expiration date of February 30") {
            $0.expiresDate = "2024-02-30T00:00:00Z"
        },
        purchase("purchase-bad-date", "letters in a purchase date") {
            $0.purchaseDate = "2024-05-2OT07:15:00Z"
        },
        purchase("purchase-bad-cancellation", "a cancellation date in month 13") {
            $0.cancellationDate = "2024-13-01T00:00:00Z"
        },
        purchase("quantity-2-to-64-plus-1", "a quantity that wraps to 1") {
            $0.quantity = nil
            $0.otherAttributes.append(
                ReceiptAttribute(1701, value: BER.element(BER.Tag.integer, [1, 0, 0, 0, 0, 0, 0, 0, 1])))
        },
        purchase("quantity-text", "letters in a quantity") {
            $0.quantity = nil
            $0.otherAttributes.append(.utf8String(1701, "1"))
        },
        purchase("quantity-empty", "an empty quantity") {
            $0.quantity = nil
            $0.otherAttributes.append(ReceiptAttribute(1701, value: BER.element(BER.Tag.integer, [])))
        },
        purchase("product-id-twice", "two product ids") {
            $0.otherAttributes.append(.utf8String(1702, "com.example.forge.other"))
        },
        purchase("expiry-twice", "two expiration dates") {
            $0.otherAttributes.append(.ia5String(1708, "2099-01-01T00:00:00Z"))
        },
        purchase("trial-flag-twice", "two trial flags") { $0.otherAttributes.append(.integer(1713, 1)) },
        purchase("trial-flag-text", "letters in a trial flag") {
            $0.isTrialPeriod = nil
            $0.otherAttributes.append(.utf8String(1713, "false"))
        },
        purchase("web-order-2-to-64", "a web order id of 2^64 - 1", .genuine, or: [.malformed]) {
            $0.webOrderLineItemID = .max
        },
        purchase("purchase-four-fields", "a purchase's attribute with a fourth field") {
            var attribute = ReceiptAttribute.utf8String(1799, "three")
            attribute.extraFields = BER.null
            $0.otherAttributes.append(attribute)
        },
        raw("purchase-text", "a string instead of a purchase", BER.utf8String("com.example.forge.lifetime")),
        raw("purchase-sequence", "a SEQUENCE instead of the purchase's SET", BER.sequence()),
        raw("purchase-trailing-byte", "a byte after the purchase's SET", BER.set(of: []) + [0]),
        raw("purchase-no-bytes", "an empty purchase", []),
        raw(
            "purchase-of-integers", "INTEGERs instead of a purchase's attributes",
            BER.set(of: [BER.integer(1)])),
        payload("purchases-100001", "more purchases than the limit", .tooLarge, or: [.malformed]) {
            payload throws(ForgeError) in
            let purchase = ReceiptAttribute(17, value: BER.element(BER.Tag.set, [])).encoded
            var attributes: [UInt8] = []
            for attribute in try ReceiptContent().attributes() { attributes += attribute.encoded }
            for _ in 0...100_000 { attributes += purchase }
            payload = BER.element(BER.Tag.set, attributes)
        },
    ]

    /// Makes a variant that changes the last purchase, which is a subscription in the default receipt.
    private static func purchase(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<PurchaseContent>
    ) -> HostileVariant {
        content(id, summary, expected, or: alternatives) { content throws(ForgeError) in
            var purchase = content.purchases.popLast() ?? subscription
            try edit(&purchase)
            content.purchases.append(purchase)
        }
    }

    /// Makes a variant with an attribute 17 that contains these bytes.
    private static func raw(_ id: String, _ summary: String, _ value: [UInt8]) -> HostileVariant {
        added(id, summary, ReceiptAttribute(17, value: value))
    }
}
