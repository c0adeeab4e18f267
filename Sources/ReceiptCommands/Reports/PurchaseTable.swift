import AppReceipt

/// A table of purchases, oldest first, without empty columns.
struct PurchaseTable {
    private let rows: [[String]]
    /// The column that is omitted if rows would be too long. Product and dates identify a purchase well
    /// enough.
    private static let dispensable = "TRANSACTION"
    private static let titles = [
        "PRODUCT", "TYPE", dispensable, "PURCHASED (UTC)", "EXPIRES", "CANCELLED", "NOTES",
    ]

    init(_ purchases: InAppPurchases) {
        let sorted = purchases.enumerated().sorted { left, right in
            // The receipt's order has no meaning. It applies only to equal dates.
            let dates = (
                left.element.purchaseDate ?? .distantPast, right.element.purchaseDate ?? .distantPast
            )
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 < dates.1
        }.map(\.element)
        rows = sorted.map { purchase in
            [
                purchase.productID ?? "(not named)", purchase.productType?.readable, purchase.transactionID,
                purchase.purchaseDate?.short, purchase.expiresDate?.short, purchase.cancellationDate?.short,
            ].map { ($0 ?? "").printable.shortened(to: 60) } + [purchase.notes.printable.shortened(to: 200)]
        }
    }

    func text(style: TerminalStyle, width: Int) -> String {
        var table = TextTable(Self.titles, rows)
        if table.width > width { table.removeColumn(Self.dispensable) }
        var lines = table.lines.map { table.width == 0 ? $0 : "  " + $0 }
        lines[0] = style(lines[0], .dim)
        return lines.map { $0 + "\n" }.joined()
    }
}

extension InAppPurchase {
    /// The properties of a purchase that have no column.
    fileprivate var notes: String {
        var notes: [String] = []
        if isTrialPeriod == true { notes.append("trial") }
        if isInIntroOfferPeriod == true { notes.append("intro") }
        if let offer = promotionalOfferIdentifier, !offer.isEmpty { notes.append("offer \(offer)") }
        switch cancellationReason {
        case nil: break
        case 1: notes.append("cancelled over an issue with the app")
        case 0: notes.append("cancelled for another reason")
        case .some(let number): notes.append("cancellation reason \(number)")
        }
        if let quantity, quantity != 1 { notes.append("quantity \(quantity)") }
        if let originalTransactionID, originalTransactionID != transactionID {
            notes.append("original \(originalTransactionID)")
        }
        return notes.joined(separator: ", ")
    }
}

extension InAppProductType {
    var readable: String {
        switch self {
        case .nonConsumable: "non-consumable"
        case .consumable: "consumable"
        case .nonRenewingSubscription: "non-renewing"
        case .autoRenewableSubscription: "auto-renewable"
        case .freeSubscription: "free subscription"
        case .unknown(let number): "unknown (\(number))"
        case .undocumented: "unknown"
        }
    }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(millisecondsSince1970: .min)

    /// The date and time as `2023-08-28 10:24`.
    fileprivate var short: String {
        let text = rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
    }
}
