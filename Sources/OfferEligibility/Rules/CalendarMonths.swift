import AppReceipt

// The range is the years 0 to 9999, as for a receipt's dates. Other instants are clamped to it.
extension Timestamp {
    /// Returns the number of whole calendar months until a later instant, in UTC.
    ///
    /// A month ends on the same day and time of the next month, or on its last day if that month is shorter.
    /// Subscriptions are billed this way on Pacific clocks, for which ``onPacificClocks`` gives the instants.
    func wholeMonths(until later: Timestamp) -> Int {
        let (start, end) = (civil.date, later.civil.date)
        let months = (end.year - start.year) * 12 + end.month - start.month
        return adding(months: months) <= later ? months : months - 1
    }

    func adding(months: Int) -> Timestamp {
        let (date, time) = civil
        let month = date.year * 12 + date.month - 1 + months
        let start = daysSince1970(year: month / 12, month: month % 12 + 1, day: 1)
        let end = daysSince1970(year: (month + 1) / 12, month: (month + 1) % 12 + 1, day: 1)
        let day = start + min(date.day, end - start) - 1
        return Timestamp(millisecondsSince1970: Int64(day) * 86_400_000 + time)
    }

    /// The day in the proleptic Gregorian calendar, and the milliseconds since its start.
    private var civil: (date: (year: Int, month: Int, day: Int), time: Int64) {
        let (earliest, latest) = (Self.rfc3339Range.lowerBound, Self.rfc3339Range.upperBound)
        let instant = min(max(millisecondsSince1970, earliest), latest) - earliest
        let day = (instant + earliest - instant % 86_400_000) / 86_400_000
        return (civilDate(daysSince1970: Int(day)), instant % 86_400_000)
    }
}
