// date-time     = full-date "T" full-time
// full-date     = 4DIGIT "-" 2DIGIT "-" 2DIGIT
// partial-time  = 2DIGIT ":" 2DIGIT ":" 2DIGIT ["." 1*DIGIT]
// full-time     = partial-time ("Z" / ("+" / "-") 2DIGIT [":"] 2DIGIT)
//
// RFC 3339, section 5.6, with these deviations:
// - The colon of the offset is optional, because Xcode writes +0100.
// - Digits after the third of a fraction are ignored.
// - Second 60 is refused, because receipts count no leap seconds.
// - "T" and "Z" are upper case.

extension Timestamp {
    /// Creates the instant of an RFC 3339 date-time. Returns nil if `text` is not one, or if it is outside
    /// the years 0000 to 9999 in UTC.
    /// - Parameter text: UTF-8, for example `2023-08-28T10:24:05Z` or `2020-06-01T12:00:00.250+0100`.
    public init?(rfc3339 text: some StringProtocol) {
        var copy = String(text)
        guard let value = copy.withUTF8({ unsafe Timestamp(rfc3339: $0.span) }) else { return nil }
        self = value
    }

    /// Creates the instant of a date-time in ASCII; see ``init(rfc3339:)-(StringProtocol)``.
    public init?(rfc3339 text: Span<UInt8>) {
        if let value = Timestamp(usual: text) {
            self = value
            return
        }
        guard text.count >= 20,
            text[4] == ascii("-"), text[7] == ascii("-"), text[10] == ascii("T"),
            text[13] == ascii(":"), text[16] == ascii(":"),
            let century = text.twoDigits(at: 0), let yearOfCentury = text.twoDigits(at: 2),
            let month = text.twoDigits(at: 5), let day = text.twoDigits(at: 8),
            let hour = text.twoDigits(at: 11), let minute = text.twoDigits(at: 14),
            let second = text.twoDigits(at: 17)
        else { return nil }

        var position = 19
        var milliseconds = 0
        if text[position] == ascii(".") {
            position += 1
            let start = position
            var scale = 100
            while position < text.count, let digit = text.digit(at: position) {
                milliseconds += digit * scale
                scale /= 10
                position += 1
            }
            if position == start { return nil }
        }
        guard let offset = text.offsetMinutes(at: position) else { return nil }
        self.init(
            (century &* 100 &+ yearOfCentury, month, day), (hour, minute, second), milliseconds,
            offsetMinutes: offset)
    }

    /// Creates the instant of a date-time such as `2023-08-28T10:24:05Z`, eight characters at a time. Nearly
    /// all receipts use this form of twenty characters. Returns nil for every other form, valid or not.
    package init?(usual text: Span<UInt8>) {
        guard text.count == 20 else { return nil }
        // The first character is the most significant byte. Digits become their values, and separators become
        // 0.
        let head = text.word(at: 0) ^ 0x3030_3030_2D30_302D
        let middle = text.word(at: 8) ^ 0x3030_5430_303A_3030
        let tail = text.word(at: 12) ^ 0x303A_3030_3A30_305A
        let separators =
            head & 0x0000_0000_FF00_00FF | middle & 0x0000_FF00_00FF_0000 | tail & 0x00FF_0000_FF00_00FF
        let six: UInt64 = 0x0606_0606_0606_0606
        // For values above 9, adding 6 sets a bit in the upper half of the octet.
        let numbers = head | (head &+ six) | middle | (middle &+ six) | tail | (tail &+ six)
        guard separators == 0, numbers & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
        func number(_ word: UInt64, at index: UInt64) -> Int {
            let pair = word &>> (48 &- 8 &* index)
            return Int((pair >> 8 & 0xF) &* 10 &+ pair & 0xF)
        }
        self.init(
            (number(head, at: 0) &* 100 &+ number(head, at: 2), number(head, at: 5), number(middle, at: 0)),
            (number(middle, at: 3), number(middle, at: 6), number(tail, at: 5)), 0, offsetMinutes: 0)
    }

    /// Creates an instant. Returns nil for an invalid date or time, or a year outside 0000 to 9999 in UTC.
    /// Each number has at most four digits.
    private init?(
        _ date: (year: Int, month: Int, day: Int), _ time: (hour: Int, minute: Int, second: Int),
        _ milliseconds: Int, offsetMinutes: Int
    ) {
        guard (1...12).contains(date.month), date.day >= 1,
            date.day <= daysInMonth(date.month, year: date.year),
            time.hour < 24, time.minute < 60, time.second < 60
        else { return nil }
        // No operation can overflow, because each number has at most four digits.
        let days = daysSince1970(year: date.year, month: date.month, day: date.day)
        let minutes = time.hour &* 60 &+ time.minute &- offsetMinutes
        let seconds = days &* 86_400 &+ minutes &* 60 &+ time.second
        let instant = Int64(seconds) &* 1000 &+ Int64(milliseconds)
        guard Self.rfc3339Range.contains(instant) else { return nil }
        self.init(millisecondsSince1970: instant)
    }

    /// The milliseconds since 1970 of the years 0000 to 9999, the range of RFC 3339.
    @inline(__always)
    package static var rfc3339Range: ClosedRange<Int64> {
        let first = Int64(daysSince1970(year: 0, month: 1, day: 1)) * 86_400_000
        return first...Int64(daysSince1970(year: 10_000, month: 1, day: 1)) * 86_400_000 - 1
    }

    /// The date-time in RFC 3339 and UTC with `Z`, and with milliseconds unless they are zero. Years outside
    /// 0000 to 9999 are clamped to the nearest instant in that range.
    public var rfc3339: String {
        unsafe String(unsafeUninitializedCapacity: Self.rfc3339Capacity) { unsafe writeRFC3339(to: $0) }
    }

    /// The maximum number of bytes that ``writeRFC3339(to:)`` writes.
    package static let rfc3339Capacity = 24

    /// Writes the bytes of ``rfc3339`` and returns their number.
    package func writeRFC3339(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let clamped = min(
            max(millisecondsSince1970, Self.rfc3339Range.lowerBound), Self.rfc3339Range.upperBound)
        var (days, inDay) = clamped.quotientAndRemainder(dividingBy: 86_400_000)
        if inDay < 0 {
            days -= 1
            inDay += 86_400_000
        }
        let date = civilDate(daysSince1970: Int(days))
        let (year, month, day) = (UInt(date.year), UInt(date.month), UInt(date.day))
        // Unsigned divisions are faster.
        let (seconds, milliseconds) = UInt(inDay).quotientAndRemainder(dividingBy: 1000)
        guard let start = buffer.baseAddress, buffer.count >= Self.rfc3339Capacity else { return 0 }
        var end = unsafe start
        func append(_ byte: UInt8) {
            unsafe end.pointee = byte
            unsafe end += 1
        }
        func append(digit: UInt) { append(UInt8(truncatingIfNeeded: digit) &+ ascii("0")) }
        func append(twoDigits number: UInt) {
            append(digit: number / 10)
            append(digit: number % 10)
        }
        append(twoDigits: year / 100)
        append(twoDigits: year % 100)
        append(ascii("-"))
        append(twoDigits: month)
        append(ascii("-"))
        append(twoDigits: day)
        append(ascii("T"))
        append(twoDigits: seconds / 3600)
        append(ascii(":"))
        append(twoDigits: seconds / 60 % 60)
        append(ascii(":"))
        append(twoDigits: seconds % 60)
        if milliseconds != 0 {
            append(ascii("."))
            append(digit: milliseconds / 100)
            append(twoDigits: milliseconds % 100)
        }
        append(ascii("Z"))
        return unsafe end - start
    }
}

extension Timestamp: CustomStringConvertible {
    public var description: String { rfc3339 }
}

extension Span<UInt8> {
    /// Returns eight bytes, the first one as the most significant.
    @inline(__always)
    fileprivate func word(at index: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self).bigEndian
    }

    @inline(__always)
    fileprivate func digit(at index: Int) -> Int? {
        let value = self[index] &- ascii("0")
        return value < 10 ? Int(value) : nil
    }

    @inline(__always)
    fileprivate func twoDigits(at index: Int) -> Int? {
        guard let tens = digit(at: index), let ones = digit(at: index + 1) else { return nil }
        return tens &* 10 &+ ones
    }

    /// Reads the offset at the end of the text, in minutes east of UTC. Returns nil if there is none, or if
    /// text follows.
    @inline(__always)
    fileprivate func offsetMinutes(at index: Int) -> Int? {
        guard index < count else { return nil }
        if self[index] == ascii("Z") { return index + 1 == count ? 0 : nil }
        guard self[index] == ascii("+") || self[index] == ascii("-") else { return nil }
        let rest = count - index
        let minuteIndex = rest == 6 ? index + 4 : index + 3
        guard rest == 5 || (rest == 6 && self[index + 3] == ascii(":")),
            let hours = twoDigits(at: index + 1), let minutes = twoDigits(at: minuteIndex),
            hours < 24, minutes < 60
        else { return nil }
        let magnitude = hours * 60 + minutes
        return self[index] == ascii("-") ? -magnitude : magnitude
    }
}

@inline(__always)
private func ascii(_ character: Unicode.Scalar) -> UInt8 {
    UInt8(truncatingIfNeeded: character.value)
}

@inline(__always)
private func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// Returns the days between 1970-01-01 and a date of the proleptic Gregorian calendar. Counts in years that
/// begin in March, so that the leap day is the last day.
@inline(__always)
package func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = (month <= 2 ? year &- 1 : year) &+ 400
    let marchMonth = (month &+ 9) % 12
    let dayOfYear = (153 &* marchMonth &+ 2) / 5 &+ day &- 1
    return marchYear &* 365 &+ marchYear / 4 &- marchYear / 100 &+ marchYear / 400 &+ dayOfYear
        &- 719_468 &- 146_097
}

/// Returns the date of a number of days, the inverse of `daysSince1970`, for years from -400 on.
package func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = UInt(bitPattern: days &+ 719_468 &+ 146_097)
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let marchMonth = (5 &* dayOfYear &+ 2) / 153
    let month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
    let year = Int(yearOfEra &+ era &* 400) - 400 + (month <= 2 ? 1 : 0)
    return (year, Int(month), Int(dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1))
}
