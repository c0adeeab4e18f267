/// The columns of an app's plots: months, quarters or years, without gaps.
struct ReportMonths {
    /// The first month, counted from the year 0.
    let first: Int
    /// The number of months in a column.
    let width: Int
    let count: Int

    /// Creates the columns from a first to a last month. If there would be more columns than the limit, they
    /// get wider. If there are still more, only the last ones are kept.
    init(from first: Int, through last: Int, limit: Int) {
        let widths = [1, 3, 12]
        let width = widths.first { last / $0 - first / $0 < limit } ?? 12
        count = min(last / width - first / width + 1, limit)
        self.width = width
        self.first = (last / width - count + 1) * width
    }

    /// Returns the number of the month at the start of a date (YYYY-MM), or nil if there is none.
    static func month(_ date: String) -> Int? {
        let parts = date.prefix(7).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1])
        else {
            return nil
        }
        return year * 12 + month - 1
    }

    /// Returns the number of the first month that starts at the date or later.
    static func start(notBefore date: String) -> Int? {
        month(date).map { date.dropFirst(7) == "-01T00:00:00Z" ? $0 : $0 + 1 }
    }

    /// The word for the period of one column in sentences.
    var name: String { width == 1 ? "month" : width == 3 ? "quarter" : "year" }

    func label(_ column: Int) -> String {
        let month = first + column * width
        let year = Self.padded(month / 12, 4)
        return width == 12
            ? year
            : width == 3 ? "\(year) Q\(month % 12 / 3 + 1)" : "\(year)-\(Self.padded(month % 12 + 1, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }

    /// Returns the figures of each column, and the sum of the figures that no column has.
    func sums(_ figures: [Int: [Int]], of series: Int) -> (
        values: [(label: String, figures: [Int])], rest: Int
    ) {
        var values = (0..<count).map { (label: label($0), figures: [Int](repeating: 0, count: series)) }
        var rest = 0
        for (month, figures) in figures {
            let column = month < first ? -1 : (month - first) / width
            for (number, figure) in figures.enumerated() {
                if values.indices.contains(column) {
                    values[column].figures[number] += figure
                } else {
                    rest += figure
                }
            }
        }
        return (values, rest)
    }

    /// Returns a running total at the first month of each column.
    /// - Parameter changes: The changes at the starts of months.
    func totals(_ changes: [Int: Int]) -> [(label: String, figures: [Int])] {
        var total = changes.reduce(0) { $0 + ($1.key < first ? $1.value : 0) }
        return (0..<count).map { column in
            let start = first + column * width
            let point = total + (changes[start] ?? 0)
            total = (start..<start + width).reduce(total) { $0 + (changes[$1] ?? 0) }
            return (label: label(column), figures: [point])
        }
    }
}
