import ReceiptForge

/// Random receipts with few subjects, identifiers, products and dates, so that conflicts are frequent.
enum RandomReceipts {
    static let catalog = #"{"groups": {"main": ["basic", "pro"], "product x": ["solo"]}}"#

    static func make(_ count: Int, seed: UInt64) -> [(subject: String?, content: ReceiptContent)] {
        var random = SplitMix64(seed: seed)
        return make(count, prefix: "", &random)
    }

    /// Returns small clusters of receipts with their own identifiers and subjects, so that clusters do not
    /// affect one another.
    static func clusters(_ count: Int, seed: UInt64) -> [(subject: String?, content: ReceiptContent)] {
        var random = SplitMix64(seed: seed)
        return (0..<count).flatMap { make(3, prefix: "k\($0)-", &random) }
    }

    private static func make(
        _ count: Int, prefix: String, _ random: inout SplitMix64
    ) -> [(subject: String?, content: ReceiptContent)] {
        var receipts: [(subject: String?, content: ReceiptContent)] = []
        for _ in 0..<count {
            let subject = pick(["a", "a", "b", "c/", "c", nil], &random).map { prefix + $0 }
            // A copy of an earlier receipt.
            let known = oneIn(5, &random) ? receipts.randomElement(using: &random)?.content : nil
            let told = receipts.flatMap(\.content.purchases)
            receipts.append((subject, known ?? content(prefix, told, &random)))
        }
        return receipts
    }

    private static func content(
        _ prefix: String, _ told: [PurchaseContent], _ random: inout SplitMix64
    ) -> ReceiptContent {
        let most = prefix.isEmpty ? 4 : 2
        var content = ReceiptContent(
            purchases: (0..<Int.random(in: 0...most, using: &random)).map { _ in
                let new = purchase(prefix, &random)
                guard oneIn(2, &random), let known = told.randomElement(using: &random) else { return new }
                return retold(known, new, &random)
            })
        // Receipts of different apps are independent.
        if !prefix.isEmpty, !oneIn(6, &random) { return content }
        content.receiptType = pick(
            ["Production", "Production", "Production", "ProductionSandbox", "Xcode", "Elsewhere"], &random)
        content.bundleID = pick(["com.example.forge", "com.example.forge", "com.example/other"], &random)
        content.creationDate = pick(
            [
                "2024-06-01T10:00:00Z", "2024-06-01T10:00:00.250Z", "2024-06-02T00:00:00Z",
                "2024-07-01T00:00:00Z",
            ],
            &random)
        return content
    }

    /// Returns a purchase with one property of another.
    private static func retold(
        _ known: PurchaseContent, _ other: PurchaseContent, _ random: inout SplitMix64
    ) -> PurchaseContent {
        var purchase = known
        switch Int.random(in: 0..<10, using: &random) {
        case 0: purchase.productID = other.productID
        case 1: purchase.transactionID = other.transactionID
        case 2: purchase.originalTransactionID = other.originalTransactionID
        case 3: purchase.purchaseDate = other.purchaseDate
        case 4: purchase.expiresDate = other.expiresDate
        case 5: purchase.cancellationDate = other.cancellationDate
        case 6: purchase.productType = other.productType == 3 ? 2 : 3
        case 7: purchase.isTrialPeriod = other.isTrialPeriod
        case 8: purchase.isInIntroOfferPeriod = other.isInIntroOfferPeriod
        default: purchase.promotionalOfferIdentifier = pick(["save", "back"], &random)
        }
        return purchase
    }

    private static func purchase(_ prefix: String, _ random: inout SplitMix64) -> PurchaseContent {
        var purchase = PurchaseContent.subscription(
            productID: pick(["basic", "basic", "pro", "solo", "x", "none"], &random),
            transactionID: prefix + pick(["1", "2", "3", "4", "5/", "6"], &random),
            originalTransactionID: prefix + pick(["1", "2", "3", "5/"], &random),
            purchaseDate: date(&random), expiresDate: date(&random))
        if oneIn(12, &random) { purchase.transactionID = pick(["0", "", nil], &random) }
        if oneIn(8, &random) { purchase.originalTransactionID = pick(["0", "", nil], &random) }
        if oneIn(10, &random) { purchase.purchaseDate = nil }
        if oneIn(8, &random) { purchase.expiresDate = nil }
        if oneIn(6, &random) { purchase.cancellationDate = date(&random) }
        if oneIn(10, &random) { purchase.productType = pick([nil, 0, 2], &random) }
        purchase.isTrialPeriod = pick([true, false, false, nil], &random)
        purchase.isInIntroOfferPeriod = pick([true, false, false, nil], &random)
        if oneIn(2, &random) { purchase.promotionalOfferIdentifier = pick(["save", "back"], &random) }
        return purchase
    }

    private static func date(_ random: inout SplitMix64) -> String {
        pick(
            [
                "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.500Z", "2024-05-15T00:00:00Z",
                "2024-06-01T10:00:00Z", "2024-06-01T20:00:00Z", "2024-07-01T00:00:00Z",
                "2024-08-01T00:00:00Z",
            ], &random)
    }

    private static func oneIn(_ count: Int, _ random: inout SplitMix64) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    private static func pick<Value>(_ values: [Value], _ random: inout SplitMix64) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}
