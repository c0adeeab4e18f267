import AppReceipt
import OfferEligibility

/// The budget: all verdicts of one receipt in 1 µs and 50 ns a purchase.
func measureEligibility() throws {
    print("All verdicts of one history (budget: 1 µs + 50 ns a purchase)")
    row("products, purchases", "ns", "budget", "ratio")
    for products in [2, 7, 1000] {
        // A group a hundred products, so that the largest catalogue has ten.
        let groups = stride(from: 0, to: products, by: 100).map { first in
            let names = (first..<min(first + 100, products)).map { "\"\(product($0))\"" }
            return "\"group\(first)\": [\(names.joined(separator: ", "))]"
        }
        let rules = OfferEligibility(
            catalog: try SubscriptionCatalog(parsing: "{\"groups\": {\(groups.joined(separator: ", "))}}".utf8))
        // Asked is about two at most, as a shop would: the answers themselves grow with what is asked.
        let asked = Array(rules.catalog.products.map(\.id).prefix(7))
        for (count, cancelled) in [(0, false), (2, false), (187, false), (187, true)] {
            let answer = "[\((0..<count).map { purchase($0, cancelled: cancelled) }.joined(separator: ", "))]"
            let history = try PurchaseHistory(trusting: answer.utf8)
            let asOf = AsOf.clock(Timestamp(millisecondsSince1970: 1_800_000_000_000))
            let cost = nanoseconds { use(rules.verdicts(for: asked, in: history, asOf: asOf)) }
            let budget = 1000 + 50 * Double(count)
            row(
                "\(products) products, \(asked.count) asked, \(count) bought\(cancelled ? ", 1/4 cancelled" : "")",
                rounded(cost), rounded(budget), rounded(cost / budget, digits: 2))
        }
    }
}

private func product(_ number: Int) -> String { "com.example.application.product\(number).monthly" }

private func purchase(_ number: Int, cancelled: Bool) -> String {
    let start = 1_600_000_000_000 + number * 2_592_000_000 / 4
    let end = start + 2_592_000_000 / 4
    let cancellation = cancelled && number % 4 == 0 ? ", \"cancellation_date_ms\": \(end - 1000)" : ""
    return """
        {"product_id": "\(product(number / 50 % 2))", "transaction_id": "\(2_000_000_000_000_000 + number)",
         "purchase_date_ms": \(start), "expires_date_ms": \(end)\(cancellation)}
        """
}
