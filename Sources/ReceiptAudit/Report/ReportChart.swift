import SQLite

/// A chart that is also a table: each row has its figures and a bar.
struct ReportChart {
    struct Column {
        let name: String
        let texture: String
    }

    struct Bar {
        let label: String
        let cells: [String]
        let segments: [Segment]
    }

    let id: String
    let title: String
    let labelTitle: String
    let columns: [Column]
    let hasKey: Bool
    let isWide: Bool
    let bars: [Bar]
    let omitted: String?
    let remark: String?

    /// Creates a chart.
    /// - Parameter rows: A label and a figure for each column.
    init(
        _ id: String, _ title: String, label: String, columns: [String], rows: [(String, [Int])], limit: Int,
        keeping: Kept = .first, omitted: String, remark: String? = nil
    ) {
        self.id = id
        self.title = title
        self.remark = remark
        labelTitle = label
        let textures = columns.indices.map { Segment.textures[$0 % Segment.textures.count] }
        let kept = keeping == .first ? rows.prefix(limit) : rows.suffix(limit)
        // A column that contains only zeros would take space from the bars. If all columns do, the first one
        // is shown.
        let told = columns.indices.filter { column in column == 0 || kept.contains { $0.1[column] > 0 } }
        self.columns = told.map { Column(name: columns[$0], texture: textures[$0]) }
        hasKey = told.count > 1
        isWide = columns.count > 1
        let largest = kept.map { $0.1.reduce(0, +) }.max() ?? 0
        bars = kept.map { label, figures in
            var segments: [Segment] = []
            var start = 0
            for (figure, texture) in zip(figures, textures) where figure > 0 {
                let (from, to) = (start * 1000 / largest, (start + figure) * 1000 / largest)
                segments.append(Segment(texture: texture, start: from, end: max(to, from + 3)))
                start += figure
            }
            return Bar(label: label, cells: told.map { ReportText.count(figures[$0]) }, segments: segments)
        }
        let left = rows.count - kept.count
        self.omitted = left > 0 ? "\(ReportText.count(left)) more \(omitted)" : nil
    }

    enum Kept { case first, last }

    static func all(_ database: Connection, _ limits: Report.Limits) throws -> [ReportChart] {
        [
            try byStatus(database, limits), try byMonth(database, limits), try offers(database, limits),
            try refusals(database, limits),
        ]
    }

    private static func byStatus(_ database: Connection, _ limits: Report.Limits) throws -> ReportChart {
        let run = try database.prepare("SELECT * FROM runs").firstRow()
        let always = [
            ("genuine", "genuine"), ("refused", "refused"), ("unreadable", "unreadable"),
            ("absent", "absent"),
        ]
        let rare = try [("of other apps", "other_apps"), ("of other stores", "foreign_values")].filter {
            try (run?[$0.1] ?? 0) > 0
        }
        let rows = try (always + rare).map { ($0.0, [try run?[$0.1] ?? 0]) }
        return ReportChart(
            "by-status", "Receipts by status", label: "Status", columns: ["Receipts"], rows: rows,
            limit: limits.barsOfAChart, omitted: "")
    }

    private static func byMonth(_ database: Connection, _ limits: Report.Limits) throws -> ReportChart {
        let months = try database.prepare(
            """
            SELECT month, sum(receipts * (environment IS 'Production')) AS production,
                sum(receipts * (environment IS 'Sandbox')) AS sandbox,
                sum(receipts * (coalesce(environment, '') IN ('Xcode', 'LocalTesting'))) AS xcode,
                sum(receipts * (environment IS NULL)) AS unnamed
            FROM receipts_by_month WHERE month IS NOT NULL GROUP BY month ORDER BY month
            """
        ).map { row -> (String, [Int]) in
            try (row["month"], [row["production"], row["sandbox"], row["xcode"], row["unnamed"]])
        }
        return ReportChart(
            "by-month", "Genuine receipts by month and environment", label: "Created in",
            columns: ["Production", "Sandbox", "Xcode", "not named"], rows: months,
            limit: limits.barsOfAChart,
            keeping: .last, omitted: "earlier months in the view receipts_by_month.",
            remark: "Months without a receipt are omitted. Refused receipts are not counted.")
    }

    private static func offers(_ database: Connection, _ limits: Report.Limits) throws -> ReportChart {
        let products = try database.prepare(
            """
            SELECT coalesce(product_id, '(no product)') AS product, trials, introductory, promotional
            FROM offers_by_product WHERE trials + introductory + promotional > 0
            ORDER BY trials + introductory + promotional DESC, product
            """
        ).map { row -> (String, [Int]) in
            try (row.text("product") ?? "", [row["trials"], row["introductory"], row["promotional"]])
        }
        return ReportChart(
            "offers", "Offers used, by product", label: "Product",
            columns: ["Free trials", "Introductory", "Promotional"], rows: products,
            limit: limits.barsOfAChart,
            omitted: "products in the view offers_by_product.",
            remark: "Each purchase is counted once, as in the latest receipt.")
    }

    private static func refusals(_ database: Connection, _ limits: Report.Limits) throws -> ReportChart {
        let rows = try database.prepare("SELECT reason, receipts FROM refusals_by_reason")
            .map { row -> (String, [Int]) in try (row["reason"] ?? "", [row["receipts"]]) }
        return ReportChart(
            "refusals", "Refusals by reason", label: "Reason", columns: ["Receipts"],
            rows: rows, limit: limits.barsOfAChart,
            omitted: "reasons in the view refusals_by_reason.")
    }
}

/// A segment of a bar, in thousandths of its width. The texture distinguishes segments without color.
struct Segment {
    /// The textures: solid, wide stripes, narrow stripes, outline.
    static let textures = ["solid", "wide", "narrow", "open"]

    let texture: String
    let start: Int
    let end: Int
    /// The width. It is stored because templates cannot read computed properties.
    let width: Int

    init(texture: String, start: Int, end: Int) {
        self.texture = texture
        self.start = start
        self.end = end
        width = end - start
    }
}
