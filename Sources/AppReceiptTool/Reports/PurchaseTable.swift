import AppReceipt

/// A table of purchases, oldest first, without empty columns.
struct PurchaseTable {
    private struct Column {
        let title: String
        let cells: [String]
        /// The width of the widest cell. Measured once, because every row needs it.
        let width: Int
        var isEmpty: Bool { cells.allSatisfy(\.isEmpty) }

        init(title: String, cells: [String]) {
            (self.title, self.cells) = (title, cells)
            width = cells.reduce(title.columns) { max($0, $1.columns) }
        }
    }

    private let columns: [Column]
    /// The column that is omitted if rows would be too long. Product and dates identify a purchase well
    /// enough.
    private static let dispensable = "TRANSACTION"

    init(_ purchases: InAppPurchases) {
        let rows = purchases.enumerated().sorted { left, right in
            // The receipt's order has no meaning. It applies only to equal dates.
            let dates = (
                left.element.purchaseDate ?? .distantPast, right.element.purchaseDate ?? .distantPast
            )
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 < dates.1
        }.map(\.element)
        func column(_ title: String, limit: Int = 60, _ cell: (InAppPurchase) -> String?) -> Column {
            Column(title: title, cells: rows.map { (cell($0) ?? "").printable.shortened(to: limit) })
        }
        columns = [
            column("PRODUCT") { $0.productID ?? "(not named)" },
            column("TYPE") { $0.productType?.readable },
            column(Self.dispensable) { $0.transactionID },
            column("PURCHASED (UTC)") { $0.purchaseDate?.short },
            column("EXPIRES") { $0.expiresDate?.short },
            column("CANCELLED") { $0.cancellationDate?.short },
            column("NOTES", limit: 200) { $0.notes },
        ].filter { !$0.isEmpty }
    }

    func text(style: TerminalStyle, width: Int) -> String {
        var columns = columns
        let total = columns.reduce(0) { $0 + $1.width + 2 }
        if total > width { columns.removeAll { $0.title == Self.dispensable } }
        var text = style(row(columns) { $0.title }, .dim) + "\n"
        for index in columns.first?.cells.indices ?? 0..<0 {
            text += row(columns) { $0.cells[index] } + "\n"
        }
        return text
    }

    private func row(_ columns: [Column], _ cell: (Column) -> String) -> String {
        // Empty columns at the end of a row are omitted.
        let last = columns.lastIndex { !cell($0).isEmpty } ?? 0
        var text = ""
        for column in columns[..<last] { text += "  " + cell(column).padded(to: column.width) }
        return text + columns[last...].prefix(1).map { "  " + cell($0) }.joined()
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
