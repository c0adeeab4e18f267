import AppReceipt
import OfferEligibility
import ReceiptForge

/// Measures all verdicts on one verified receipt. The budget is 1 µs plus 50 ns for each purchase.
func measureEligibility() throws {
    print("All verdicts of one verified receipt (budget: 1 µs + 50 ns a purchase)")
    row("catalog, asked, bought", "ns", "budget", "ratio")
    for products in [2, 7, 1000] {
        // One group for each hundred products. At most seven products are evaluated, because the answers
        // themselves grow with their number.
        let groups = stride(from: 0, to: products, by: 100).map { first in
            let names = (first..<min(first + 100, products)).map { "\"\(product($0))\"" }
            return "\"group\(first)\": [\(names.joined(separator: ", "))]"
        }
        let catalog = try SubscriptionCatalog(
            parsing: "{\"groups\": {\(groups.joined(separator: ", "))}}".utf8)
        let rules = OfferRules(catalog: catalog)
        let asked = Array(catalog.products.map(\.id).prefix(7))
        for (count, cancelled) in [(0, false), (2, false), (187, false), (187, true)] {
            let receipt = try verifiedReceipt((0..<count).map { purchase($0, cancelled: cancelled) })
            let now = EligibilityInstant.clock(Timestamp(millisecondsSince1970: 1_900_000_000_000))
            let cost = nanoseconds {
                use(rules.verdicts(for: asked, in: PurchaseHistory(receipt), asOf: now))
            }
            let budget = 1000 + 50 * Double(count)
            row(
                "\(products), \(asked.count), \(count)\(cancelled ? " (a quarter cancelled)" : "")",
                rounded(cost), rounded(budget), rounded(cost / budget, digits: 2))
        }
    }
}

private func verifiedReceipt(_ purchases: [PurchaseContent]) throws -> VerifiedReceipt {
    let forged = try ReceiptRecipe(ReceiptContent(purchases: purchases), authority: try .test()).forge()
    return try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes, for: .any)
}

private func product(_ number: Int) -> String { "com.example.application.product\(number).monthly" }

/// Returns a week of an uninterrupted subscription, which changes its product.
private func purchase(_ number: Int, cancelled: Bool) -> PurchaseContent {
    let week: Int64 = 7 * 86_400_000
    let start = 1_600_000_000_000 + Int64(number) * week
    func date(_ milliseconds: Int64) -> String { Timestamp(millisecondsSince1970: milliseconds).rfc3339 }
    var purchase = PurchaseContent.subscription(
        productID: product(number / 50 % 2), transactionID: "\(2_000_000_000_000_000 + number)",
        purchaseDate: date(start), expiresDate: date(start + week))
    if cancelled && number.isMultiple(of: 4) { purchase.cancellationDate = date(start + week - 1000) }
    return purchase
}
