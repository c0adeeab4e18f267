package import AppReceipt

/// The two zones in which verifyReceipt writes every date.
package enum AnswerZone: Sendable {
    /// Named Etc/GMT.
    case gmt
    /// Named America/Los_Angeles.
    case pacific

    /// "yyyy-MM-dd HH:mm:ss" and the longer of the names.
    static let capacity = 39

    /// The text of a date, whole seconds.
    package func text(_ date: Timestamp) -> String {
        unsafe String(unsafeUninitializedCapacity: Self.capacity) { unsafe write(date, to: $0) }
    }

    /// Writes the bytes of ``text(_:)``; returns how many there are.
    func write(_ date: Timestamp, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        // No date of a receipt is near the ends of Int64, and what is nearer than a day is written as year 0 or 9999.
        let local = Timestamp(
            millisecondsSince1970: date.millisecondsSince1970 &+ (self == .gmt ? 0 : pacificOffset(at: date)))
        _ = unsafe local.writeRFC3339(to: buffer)
        unsafe buffer[10] = UInt8(ascii: " ")
        // Behind the seconds stand the milliseconds, if any, and the Z.
        let zone: StaticString = self == .gmt ? " Etc/GMT" : " America/Los_Angeles"
        for index in 0..<zone.utf8CodeUnitCount { unsafe buffer[19 + index] = zone.utf8Start[index] }
        return 19 + zone.utf8CodeUnitCount
    }
}

/// Milliseconds by which the clocks of California are ahead of UTC: eight hours behind, seven in summer.
///
/// Computed by the law, 15 U.S.C. 260a, since every machine has other data on zones, and one without a file system none:
/// daylight saving time begins and ends at 2 o'clock, on the second Sunday of March and the first of November since 2007,
/// before that on the first of April and the last of October, until 1986 on the last of April. Before 1976, where dates of
/// an App Store cannot lie, it had other days in two years, which are not told apart.
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
    // 2 o'clock of daylight saving time is 1 o'clock of standard time.
    let isDaylightSaving = standard >= first * 24 * hour + 2 * hour && standard < last * 24 * hour + hour
    return (isDaylightSaving ? -7 : -8) * hour * 1000
}

/// The first Sunday from a day on, in days since 1970-01-01, which was a Thursday.
private func sunday(from day: Int, of month: Int, _ year: Int) -> Int64 {
    let start = daysSince1970(year: year, month: month, day: day)
    let weekday = ((start + 4) % 7 + 7) % 7
    return Int64(start + (7 - weekday) % 7)
}
