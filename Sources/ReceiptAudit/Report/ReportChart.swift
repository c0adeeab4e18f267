import SQLite

/// A chart that is also a table: each row has its figures and a bar.
struct ReportChart {
    struct Column {
        let name: String
        let texture: String
    }

    struct Bar {
        let label: String
        let title: String
        let cells: [String]
        let segments: [Segment]
    }

    let id: String
    let title: String
    let labelTitle: String
    let columns: [Column]
    let hasKey: Bool
    let bars: [Bar]
    let moreBars: String?

    /// Creates a chart.
    /// - Parameters:
    ///   - rows: A label and a figure for each column.
    ///   - all: The number of rows, of which `rows` has at least as many as the limit.
    init(
        _ id: String, _ title: String, label: String, columns: [String], rows: [(String, [Int])], limit: Int,
        of all: Int, more: String
    ) {
        self.id = id
        self.title = title
        labelTitle = label
        let textures = columns.indices.map { Segment.textures[$0 % Segment.textures.count] }
        let kept = rows.prefix(limit)
        // A column that contains only zeros would take space from the bars. If all columns do, the first one
        // is shown.
        let told = columns.indices.filter { column in kept.contains { $0.1[column] > 0 } }
        let shown = told.isEmpty ? [0] : told
        self.columns = shown.map { Column(name: columns[$0], texture: textures[$0]) }
        hasKey = shown.count > 1
        let largest = kept.map { $0.1.reduce(0, +) }.max() ?? 0
        bars = kept.map { label, figures in
            var segments: [Segment] = []
            var start = 0
            for (figure, texture) in zip(figures, textures) where figure > 0 {
                let (from, to) = (start * 1000 / largest, (start + figure) * 1000 / largest)
                segments.append(Segment(texture: texture, start: from, end: max(to, from + 3)))
                start += figure
            }
            let parts = shown.map { "\(ReportText.count(figures[$0])) \(columns[$0].lowercased())" }
            return Bar(
                label: label, title: "\(label): \(parts.joined(separator: ", "))",
                cells: shown.map { ReportText.count(figures[$0]) }, segments: segments)
        }
        let left = all - kept.count
        moreBars = left > 0 ? "\(ReportText.count(left)) more \(more)" : nil
    }

    static func refusals(_ database: Connection, _ limits: Report.Limits) throws -> ReportChart {
        let rows = try database.prepare("SELECT reason, receipts FROM refusals_by_reason")
            .map { row -> (String, [Int]) in try (row["reason"] ?? "", [row["receipts"]]) }
        let total = rows.reduce(0) { $0 + $1.1[0] }
        let title =
            rows.first.map {
                "\(ReportText.count(total, "record")) not verified, most because of \($0.0) (\(ReportText.count($0.1[0])))"
            } ?? "All records with a receipt were verified"
        return ReportChart(
            "refusals", title, label: "Reason", columns: ["Records"], rows: rows,
            limit: limits.barsOfAChart, of: rows.count, more: "reasons in the view refusals_by_reason.")
    }
}
