/// A plot of columns over time, with its figures in a table.
///
/// All coordinates are integers, so that the same database gives the same bytes on every machine.
struct ReportPlot {
    struct Tick {
        let place: Int
        let label: String
        let anchor: String
    }

    struct Column {
        let title: String
        let start: Int
        let width: Int
        let parts: [Part]
    }

    struct Part {
        let series: Int
        let start: Int
        let width: Int
        let top: Int
        let height: Int
    }

    struct Series {
        let number: Int
        let name: String
    }

    struct PlotLine {
        let label: String
        let cells: [String]
    }

    let id: String
    let title: String
    let unit: String
    let definition: String
    let left: Int
    let rows: [Tick]
    let columns: [Column]
    let ticks: [Tick]
    let series: [Series]
    let hasKey: Bool
    let lines: [PlotLine]
    let outside: String?

    /// The edges of the area of columns in the drawing of 4,800 by 2,300.
    private static let (top, right, bottom) = (240, 4_740, 1_980)

    /// Creates a plot.
    /// - Parameters:
    ///   - series: The names of the parts of a column.
    ///   - isShare: Whether a column shows the shares of its parts, instead of their numbers.
    ///   - values: The labels of the columns, each with its figures.
    init(
        _ id: String, _ title: String, unit: String, definition: String, series: [String],
        isShare: Bool = false, values: [(label: String, figures: [Int])], outside: String? = nil
    ) {
        (self.id, self.title, self.unit, self.definition, self.outside) = (
            id, title, unit, definition, outside
        )
        self.series = series.enumerated().map { Series(number: $0.offset, name: $0.element) }
        hasKey = series.count > 1
        let largest = values.map { $0.figures.reduce(0, +) }.max() ?? 0
        let step = isShare ? 25 : Self.step(largest)
        let most = isShare ? 100 : max((largest + step - 1) / step, 1) * step
        let labels = stride(from: 0, through: most, by: step).map {
            isShare ? "\($0) %" : ReportText.count($0)
        }
        let left = 140 + 75 * (labels.map(\.count).max() ?? 1)
        self.left = left
        let height = Self.bottom - Self.top
        rows = labels.enumerated().map { number, label in
            Tick(place: Self.bottom - Self.scaled(number * step, height, most), label: label, anchor: "end")
        }
        let count = max(values.count, 1)
        func edge(_ column: Int) -> Int { left + (Self.right - left) * column / count }
        let every = (count + 4) / 5
        ticks = values.enumerated().filter { $0.offset % every == 0 }.map { number, value in
            let center = (edge(number) + edge(number + 1)) / 2
            return Tick(place: center, label: value.label, anchor: center > 4_500 ? "end" : "middle")
        }
        columns = values.enumerated().map { number, value in
            let (start, end) = (edge(number), edge(number + 1))
            let gap = (end - start) / 8
            let whole = value.figures.reduce(0, +)
            var below = 0
            let parts = value.figures.enumerated().compactMap { series, figure -> Part? in
                guard figure > 0 else { return nil }
                let scale = isShare ? whole : most
                let low = Self.bottom - Self.scaled(below, height, scale)
                below += figure
                let high = min(Self.bottom - Self.scaled(below, height, scale), low - 12)
                return Part(
                    series: series, start: start + gap, width: end - start - 2 * gap, top: high,
                    height: low - high)
            }
            return Column(
                title: "\(value.label): \(Self.text(value.figures, series, unit, isShare))", start: start,
                width: end - start, parts: parts)
        }
        lines = values.map { label, figures in
            let whole = figures.reduce(0, +)
            return PlotLine(
                label: label,
                cells: figures.map { figure in
                    let share = isShare ? ReportText.share(figure, of: whole).map { " (\($0))" } : nil
                    return ReportText.count(figure) + (share ?? "")
                })
        }
    }

    /// Returns `height` times `part` divided by `whole`, which may be any numbers of rows.
    private static func scaled(_ part: Int, _ height: Int, _ whole: Int) -> Int {
        Int(Double(height) * Double(part) / Double(max(whole, 1)))
    }

    /// Returns the distance between lines: 1, 2 or 5 times a power of ten. At most five lines are needed to
    /// reach the number.
    private static func step(_ largest: Int) -> Int {
        var power = 1
        while true {
            for step in [power, 2 * power, 5 * power] where largest / step < 5 { return step }
            power *= 10
        }
    }

    /// Returns the text of a column. `unit` is a plural with an s.
    private static func text(_ figures: [Int], _ series: [String], _ unit: String, _ isShare: Bool) -> String
    {
        let whole = figures.reduce(0, +)
        let sum = ReportText.count(whole, String(unit.dropLast()))
        guard isShare else { return sum }
        let parts = zip(series, figures).compactMap { name, figure in
            ReportText.share(figure, of: whole).map { "\(name) \($0)" }
        }
        return parts.isEmpty ? sum : "\(parts.joined(separator: ", ")) of \(sum)"
    }
}
