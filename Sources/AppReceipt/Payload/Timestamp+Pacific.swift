extension Timestamp {
    /// The instant at which clocks in UTC show what California's clocks show at this instant. verifyReceipt writes dates in this
    /// zone, and the App Store bills subscriptions in it.
    package var onPacificClocks: Timestamp {
        // No date of a receipt is near the limits of Int64.
        let (local, overflows) = millisecondsSince1970.addingReportingOverflow(pacificOffset(at: self))
        return overflows ? self : Timestamp(millisecondsSince1970: local)
    }
}

/// Returns the offset of California's clocks from UTC in milliseconds: minus eight hours, in summer minus
/// seven.
///
/// The function implements the law (15 U.S.C. 260a), because time zone data differs between machines and may
/// be missing. Daylight saving time begins and ends at 2:00:
/// - Since 2007, from the second Sunday of March to the first Sunday of November.
/// - From 1987 to 2006, from the first Sunday of April to the last Sunday of October.
/// - Until 1986, from the last Sunday of April to the last Sunday of October.
///
/// Two years before 1976 had other days, which the function ignores because no App Store date is that old.
private func pacificOffset(at date: Timestamp) -> Int64 {
    let hour: Int64 = 3_600
    let standard = date.secondsSince1970 - 8 * hour
    let today = Int(standard >= 0 ? standard / (24 * hour) : (standard + 1) / (24 * hour) - 1)
    let earliest = daysSince1970(year: 0, month: 1, day: 1)
    let latest = daysSince1970(year: 9999, month: 12, day: 31)
    let year = civilDate(daysSince1970: min(max(today, earliest), latest)).year
    let (first, last) =
        switch year {
        case 2007...: (sunday(from: 8, of: 3, year), sunday(from: 1, of: 11, year))
        case 1987...: (sunday(from: 1, of: 4, year), sunday(from: 25, of: 10, year))
        default: (sunday(from: 24, of: 4, year), sunday(from: 25, of: 10, year))
        }
    // 2:00 in daylight saving time is 1:00 in standard time.
    let isDaylightSaving = standard >= first * 24 * hour + 2 * hour && standard < last * 24 * hour + hour
    return (isDaylightSaving ? -7 : -8) * hour * 1000
}

/// Returns the first Sunday on or after a day, in days since 1970-01-01, which was a Thursday.
private func sunday(from day: Int, of month: Int, _ year: Int) -> Int64 {
    let start = daysSince1970(year: year, month: month, day: day)
    let weekday = ((start + 4) % 7 + 7) % 7
    return Int64(start + (7 - weekday) % 7)
}
