import AppReceipt
import OfferEligibility

/// The periods of a group on a line of characters, with dates, a mark at the evaluation date, and a legend.
struct Timeline {
    let lines: [String]

    private static let width = 76

    init(_ verdict: ProductVerdict) {
        let periods = verdict.periods
        guard let start = periods.compactMap(\.start).min() else {
            lines = []
            return
        }
        let scale = Scale(
            start: start.millisecondsSince1970,
            end: Self.end(of: periods, from: start, verdict).millisecondsSince1970,
            width: Self.width)
        let mark = scale.column(of: verdict.asOf.timestamp)
        let cells = Self.paint(periods, scale, gapUntil: mark)
        lines = [
            Self.ends(scale), String(cells), String(repeating: " ", count: mark) + "^",
            Self.legend(cells, asOf: verdict.asOf.timestamp),
        ]
    }

    /// Returns the end of the timeline: the evaluation date, or later for a current period. A period that
    /// ends in the year 4001 would reduce all others to one column.
    private static func end(
        of periods: [SubscriptionPeriod], from start: Timestamp, _ verdict: ProductVerdict
    )
        -> Timestamp
    {
        let asOf = verdict.asOf.timestamp
        let last = periods.map(\.end).max() ?? asOf
        let room = max(asOf.millisecondsSince1970 - start.millisecondsSince1970, 86_400_000)
        let limit = Timestamp(millisecondsSince1970: asOf.millisecondsSince1970 + room)
        return max(asOf, min(last, limit))
    }

    /// Draws the periods. Rarer kinds are drawn later, so that a trial of a week is visible within ten years.
    private static func paint(_ periods: [SubscriptionPeriod], _ scale: Scale, gapUntil mark: Int)
        -> [Character]
    {
        var cells = [Character](repeating: " ", count: scale.width)
        let lastColumn = periods.map { scale.column(before: $0.end) }.max() ?? 0
        for column in 0...max(mark, lastColumn) { cells[column] = "." }
        for kind in [SubscriptionPeriod.Kind.unknown, .shared, .paid, .refunded, .intro, .trial] {
            for period in periods where period.kind == kind {
                let first = period.start.map { scale.column(of: $0) } ?? 0
                for column in first...max(first, scale.column(before: period.end)) {
                    cells[column] = kind.character
                }
            }
        }
        if periods.contains(where: { $0.end.millisecondsSince1970 > scale.end }) {
            cells[scale.width - 1] = ">"
        }
        return cells
    }

    private static func ends(_ scale: Scale) -> String {
        let isShort = scale.end - scale.start < 2 * 86_400_000
        let texts = [scale.start, scale.end].map { milliseconds in
            let text = Timestamp(millisecondsSince1970: milliseconds).rfc3339
            return isShort ? text : String(text.prefix(10))
        }
        let gap = max(1, scale.width - texts[0].count - texts[1].count)
        return texts.joined(separator: String(repeating: " ", count: gap))
    }

    private static func legend(_ cells: [Character], asOf: Timestamp) -> String {
        let kinds = [SubscriptionPeriod.Kind.trial, .intro, .paid, .refunded, .shared, .unknown]
            .filter { cells.contains($0.character) }
            .map { "\($0.character) \($0.rawValue)" }
        let others = [(".", "gap"), (">", "runs on")].filter { cells.contains(Character($0.0)) }.map {
            "\($0.0) \($0.1)"
        }
        return (kinds + others + ["^ as of \(asOf)"]).joined(separator: "  ")
    }

    /// The scale from time to columns.
    private struct Scale {
        let start: Int64
        let end: Int64
        let width: Int

        func column(of timestamp: Timestamp) -> Int {
            let instant = min(max(timestamp.millisecondsSince1970, start), end)
            let span = max(end - start, 1)
            return min(Int((instant - start) * Int64(width) / span), width - 1)
        }

        /// Returns the column of the last millisecond before an end.
        func column(before end: Timestamp) -> Int {
            column(of: Timestamp(millisecondsSince1970: max(end.millisecondsSince1970, start + 1) - 1))
        }
    }
}

extension SubscriptionPeriod.Kind {
    fileprivate var character: Character {
        switch self {
        case .trial: "T"
        case .intro: "I"
        case .paid: "="
        case .refunded: "x"
        case .shared: "f"
        case .unknown: "?"
        }
    }
}
