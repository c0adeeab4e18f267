import SQLite

/// The figures for the plots of some apps. Each query collects them for all these apps at once.
struct AppFacts {
    /// The figures of one app: by month counted from the year 0, and by product.
    private struct Facts {
        var receipts: [Int: [Int]] = [:]
        var refunds: [Int: [Int]] = [:]
        var changes: [Int: Int] = [:]
        var offers: [(String, [Int])] = []
        var products = 0
    }

    private static let eras = ["receipts with SHA-1", "receipts with SHA-2", "signed objects (JWS)"]
    private static let offerKinds = ["trial", "introductory", "promotional", "offer code", "win-back"]

    private var facts: [AppKey: Facts]
    private let asOf: Int64

    /// Collects the receipts by month, and the subscriptions.
    init(of apps: Set<AppKey>, _ database: Connection, asOf: Int64) throws {
        facts = Dictionary(uniqueKeysWithValues: apps.map { ($0, Facts()) })
        self.asOf = asOf
        try database.prepare(
            """
            SELECT environment, bundle_id, strftime('%Y-%m', created_at / 1000, 'unixepoch') AS month,
                CASE WHEN kind NOT IN ('receipt', 'transaction-receipt') THEN 2 WHEN digest = 'sha1' THEN 0 ELSE 1 END AS era,
                count(*) AS records
            FROM receipts WHERE status = 'genuine' AND realm = (SELECT realm FROM default_realm)
            GROUP BY environment, bundle_id, month, era
            """
        ).forEach { row in
            guard let month = try (row["month"] as String?).flatMap(ReportMonths.month) else { return }
            let era: Int = try row["era"]
            try facts[AppKey(row)]?.receipts[month, default: [0, 0, 0]][era] += row["records"]
        }
        try takePeriods(database)
    }

    /// Adds each subscription to the months that start in one of its periods, as the question `active` counts.
    private mutating func takePeriods(_ database: Connection) throws {
        var last: (key: AppKey, subscription: String?)?
        var covered = 0
        try database.prepare(
            """
            SELECT environment, bundle_id, subscription, active_from, active_until FROM active_periods
            WHERE is_bought AND realm = (SELECT realm FROM default_realm)
            ORDER BY environment, bundle_id, subscription, active_from
            """
        ).forEach { row in
            let (key, subscription): (AppKey, String?) = try (AppKey(row), row["subscription"])
            guard facts[key] != nil,
                let start = try (row["active_from"] as String?).flatMap(ReportMonths.start(notBefore:)),
                let end = try (row["active_until"] as String?).flatMap(ReportMonths.start(notBefore:))
            else { return }
            if last?.key != key || last?.subscription != subscription {
                last = (key, subscription)
                covered = start
            }
            let from = max(start, covered)
            guard from < end else { return }
            facts[key]?.changes[from, default: 0] += 1
            facts[key]?.changes[end, default: 0] -= 1
            covered = end
        }
    }

    /// Collects figures from the selection of a question that was answered before.
    mutating func take(_ question: AuditQuestion, _ database: Connection, limit: Int) throws {
        if question.name == AuditQuestion.refunds.name {
            try database.prepare(
                """
                SELECT environment, bundle_id, substr(cancellation_date, 1, 7) AS month, count(*) AS refunds
                FROM temp.selected GROUP BY environment, bundle_id, month
                """
            ).forEach { row in
                guard let month = try (row["month"] as String?).flatMap(ReportMonths.month) else { return }
                try facts[AppKey(row)]?.refunds[month] = [row["refunds"]]
            }
        }
        if question.name == AuditQuestion.offersUsed.name {
            let kinds = Self.offerKinds.enumerated().map { "sum(offer = '\($1)') AS kind\($0)" }
            try database.prepare(
                """
                SELECT environment, bundle_id, product_id, \(kinds.joined(separator: ", ")) FROM temp.selected
                GROUP BY environment, bundle_id, product_id ORDER BY count(*) DESC, product_id
                """
            ).forEach { row in
                let key = try AppKey(row)
                guard var app = facts.removeValue(forKey: key) else { return }
                app.products += 1
                if app.products <= limit {
                    app.offers.append(
                        (
                            try row.text("product_id") ?? "(no product)",
                            try Self.offerKinds.indices.map { try row["kind\($0)"] }
                        ))
                }
                facts[key] = app
            }
        }
    }

    // MARK: - Plots

    /// Returns the plots of an app.
    /// - Parameter active: The number of subscriptions on the as-of date.
    func plots(of key: AppKey, _ id: String, active: Int, _ limits: Report.Limits) -> [ReportPlot] {
        let facts = self.facts[key] ?? Facts()
        let today = ReportMonths.month(ReportText.day(asOf))
        let known = Array(facts.receipts.keys) + facts.refunds.keys + facts.changes.keys
        guard let first = known.min(), let most = known.max() else { return [] }
        let last = max(first, min(most, today ?? most))
        let months = ReportMonths(from: first, through: last, limit: limits.columnsOfAPlot)
        let (eras, receiptsLeft) = months.sums(facts.receipts, of: Self.eras.count)
        let receipts = eras.map { (label: $0.label, figures: [$0.figures.reduce(0, +)]) }
        let (refunds, refundsLeft) = months.sums(facts.refunds, of: 1)
        func outside(_ left: Int, _ noun: String) -> String? {
            left > 0
                ? "\(ReportText.count(left, noun)) before or after these \(months.name)s \(left == 1 ? "is" : "are") not shown."
                : nil
        }
        let day = ReportText.day(asOf)
        return [
            ReportPlot(
                "\(id)-receipts", Self.title("genuine record", receipts, months), unit: "records",
                definition: "Genuine records by \(months.name) of creation.", series: ["Records"],
                values: receipts,
                outside: outside(receiptsLeft, "record")),
            ReportPlot(
                "\(id)-active", "\(ReportText.count(active, "subscription")) active on \(day)",
                unit: "subscriptions",
                definition: "Active subscriptions on the first day of each \(months.name).",
                series: ["Subscriptions"], values: months.totals(facts.changes)),
            ReportPlot(
                "\(id)-refunds", Self.title("refund", refunds, months), unit: "refunds",
                definition: "Refunded purchases by \(months.name) of the refund.", series: ["Refunds"],
                values: refunds,
                outside: outside(refundsLeft, "refund")),
            ReportPlot(
                "\(id)-eras", Self.title(eras.map { $0.figures }), unit: "records",
                definition: "Share of each form of signature by \(months.name) of creation.",
                series: Self.eras,
                isShare: true, values: eras, outside: outside(receiptsLeft, "record")),
        ]
    }

    /// Returns a title that names the largest column.
    private static func title(
        _ noun: String, _ values: [(label: String, figures: [Int])], _ months: ReportMonths
    ) -> String {
        let figures = values.map { $0.figures[0] }
        guard let most = figures.max(), most > 0, let place = figures.firstIndex(of: most) else {
            return "No \(noun)s"
        }
        let empty = figures.count { $0 == 0 }
        let gaps = empty > 0 ? ", none in \(ReportText.count(empty, months.name))" : ""
        return
            "\(ReportText.count(figures.reduce(0, +), noun)): most in \(values[place].label) (\(ReportText.count(most)))\(gaps)"
    }

    /// Returns a title with the share of each era, the most frequent first.
    private static func title(_ eras: [[Int]]) -> String {
        let sums = Self.eras.indices.map { era in eras.reduce(0) { $0 + $1[era] } }
        let whole = sums.reduce(0, +)
        let parts = zip(Self.eras, sums).filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.compactMap { name, sum in
            ReportText.share(sum, of: whole).map { "\($0) \(name)" }
        }
        return parts.isEmpty ? "No signatures" : parts.joined(separator: ", ")
    }

    /// Returns the chart of an app's used offers.
    func offers(of key: AppKey, _ id: String, total: Int, _ limits: Report.Limits) -> ReportChart {
        let facts = self.facts[key] ?? Facts()
        let title =
            facts.offers.first.map {
                "\(ReportText.count(total, "offer")) used, most for \($0.0) (\(ReportText.count($0.1.reduce(0, +))))"
            } ?? "No offers used"
        return ReportChart(
            "\(id)-offers", title, label: "Product",
            columns: ["Trials", "Introductory", "Promotional", "Offer codes", "Win-back"], rows: facts.offers,
            limit: limits.barsOfAChart, of: facts.products,
            more: "products: appreceipt ask offers-used.")
    }
}
