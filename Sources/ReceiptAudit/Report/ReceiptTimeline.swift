/// The timeline of a receipt's subscriptions, with a row for each group, or for each product without one.
struct ReceiptTimeline {
    struct Track {
        let name: String
        let label: String
        let segments: [Segment]
        let gaps: [Segment]
        let mark: Int
        let goesOn: Bool
    }

    let tracks: [Track]
    let start: String
    let end: String
    let asOf: String

    /// Creates a timeline, or returns nil if no purchase has a period.
    init?(_ purchases: [ReceiptPurchase], asOf: Int64) {
        let periods = purchases.compactMap { purchase -> Period? in
            guard let start = purchase.start, let end = purchase.end, end >= start else { return nil }
            return Period(
                track: purchase.group ?? purchase.product, purchase: purchase, start: start, end: end)
        }
        guard let first = periods.map(\.start).min(), let last = periods.map(\.end).max() else { return nil }
        // A period until the year 4001 would shrink all others to a point, so the future takes at most half
        // the width.
        let from = min(first, asOf)
        let to = max(asOf, min(last, asOf + max(asOf - from, 86_400_000)))
        let scale = Scale(start: from, end: max(to, from + 1))
        (start, end) = (ReportText.day(from), ReportText.day(to))
        self.asOf = ReportText.day(asOf)
        tracks = Dictionary(grouping: periods, by: \.track).sorted { $0.key < $1.key }.map { name, periods in
            Self.track(name, periods.sorted { ($0.start, $0.end) < ($1.start, $1.end) }, scale, asOf)
        }
    }

    private struct Period {
        let track: String
        let purchase: ReceiptPurchase
        let start: Int64
        let end: Int64
    }

    private struct Scale {
        let start: Int64
        let end: Int64

        /// Returns the position of a date in thousandths of the width. It uses floating point because dates
        /// may be any 64-bit number.
        func place(_ date: Int64) -> Int {
            let share = (Double(date) - Double(start)) / (Double(end) - Double(start))
            return Int(max(0, min(1, share)) * 1000)
        }
    }

    private static func track(_ name: String, _ periods: [Period], _ scale: Scale, _ asOf: Int64) -> Track {
        var gaps: [Segment] = []
        var covered = periods.first?.end ?? asOf
        for period in periods {
            if period.start > covered { gaps.append(gap(from: covered, to: period.start, scale)) }
            covered = max(covered, period.end)
        }
        if covered < asOf { gaps.append(gap(from: covered, to: asOf, scale)) }
        let segments = periods.map { period in
            let from = scale.place(period.start)
            // Segments that are too short to see get a minimum width.
            let to = max(scale.place(period.end), from + 4)
            return Segment(texture: period.purchase.texture, start: min(from, 996), end: min(to, 1000))
        }
        let label = "\(ReportText.count(periods.count, "period")), \(ReportText.count(gaps.count, "gap"))"
        return Track(
            name: name, label: "\(name): \(label); the table below lists them", segments: segments,
            gaps: gaps.filter { $0.width > 0 }, mark: min(max(scale.place(asOf), 1), 999),
            goesOn: covered > scale.end)
    }

    private static func gap(from start: Int64, to end: Int64, _ scale: Scale) -> Segment {
        Segment(texture: "gap", start: scale.place(start), end: scale.place(end))
    }
}
