import SQLite

struct ReceiptPurchase {
    let product: String
    let group: String?
    let transaction: String
    let start: Int64?
    let end: Int64?
    let bought: String
    let ends: String
    let kind: String
    let texture: String

    init(_ row: Row) throws {
        product = try row.text("product_id") ?? "(no product)"
        group = try row.text("subscription_group")
        transaction = try row.text("transaction_id") ?? ""
        start = try row["purchase_date"]
        let (expires, cancelled) = try (row["expires_date"] as Int64?, row["cancellation_date"] as Int64?)
        // A period ends at its expiry or cancellation, whichever is earlier.
        end = expires.map { min($0, cancelled ?? $0) }
        bought = try row.date("purchase_date") ?? ""
        let trial: Bool = try row["is_trial_period"] ?? false
        let introductory: Bool = try row["is_in_intro_offer_period"] ?? false
        let isPeriod = expires != nil
        var name = trial ? "free trial" : introductory ? "introductory" : isPeriod ? "paid" : "purchase"
        if let offer = try row.text("promotional_offer_identifier") { name += ", offer \(offer)" }
        kind = cancelled == nil ? name : "\(name), refunded"
        texture = cancelled != nil ? "open" : trial ? "wide" : introductory ? "narrow" : "solid"
        let expiry = try row.date("expires_date").map { "expires \($0)" }
        let refund = try row.date("cancellation_date").map { "refunded \($0)" }
        ends = [expiry, refund].compactMap(\.self).joined(separator: ", ")
    }
}
