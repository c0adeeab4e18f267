import AppReceipt

extension Timestamp {
    /// Returns the number of whole calendar months until a later instant, in UTC.
    ///
    /// A month ends on the same day and time of the next month, or on its last day if that month is shorter.
    /// Subscriptions are billed this way.
    func wholeMonths(until later: Timestamp) -> Int {
        let (start, end) = (CivilDate(self), CivilDate(later))
        let months = (end.year - start.year) * 12 + end.month - start.month
        return adding(months: months) <= later ? months : months - 1
    }

    func adding(months: Int) -> Timestamp {
        var date = CivilDate(self)
        let month = date.year * 12 + date.month - 1 + months
        (date.year, date.month) = (month / 12, month % 12 + 1)
        date.day = min(date.day, CivilDate.days(inMonth: date.month, of: date.year))
        return date.timestamp
    }
}

/// A day of the proleptic Gregorian calendar in UTC, with the milliseconds since its start.
///
/// The range is the years 0 to 9999, as for a receipt's dates. Other instants are clamped to it.
private struct CivilDate {
    var year: Int
    var month: Int
    var day: Int
    var milliseconds: Int64

    private static let monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

    init(_ timestamp: Timestamp) {
        let latest = Int64(Self.days(beforeYear: 10_000)) * 86_400_000 - 1
        let earliest = Self.millisecondsOfYear0
        let instant = min(max(timestamp.millisecondsSince1970, earliest), earliest + latest) - earliest
        var days = Int(instant / 86_400_000)
        milliseconds = instant % 86_400_000
        year = days / 366
        while Self.days(beforeYear: year + 1) <= days { year += 1 }
        days -= Self.days(beforeYear: year)
        month = 1
        while days >= Self.days(inMonth: month, of: year) {
            days -= Self.days(inMonth: month, of: year)
            month += 1
        }
        day = days + 1
    }

    var timestamp: Timestamp {
        let leapDay = month > 2 && Self.isLeap(year) ? 1 : 0
        let days = Self.days(beforeYear: year) + Self.monthStarts[month - 1] + leapDay + day - 1
        return Timestamp(
            millisecondsSince1970: Int64(days) * 86_400_000 + milliseconds + Self.millisecondsOfYear0)
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        monthStarts[month] - monthStarts[month - 1] + (month == 2 && isLeap(year) ? 1 : 0)
    }

    private static let millisecondsOfYear0: Int64 = -719_528 * 86_400_000

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the number of days from the start of year 0, a leap year, to the start of `year`.
    private static func days(beforeYear year: Int) -> Int {
        year == 0 ? 0 : year * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    }
}
