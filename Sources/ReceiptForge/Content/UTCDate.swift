/// A converter of seconds since 1970 to RFC 3339 in UTC and back, in the proleptic Gregorian calendar.
enum UTCDate {
    static let day = 86_400

    /// Returns the date as text, for example `2024-06-01T10:00:00Z`.
    static func text(_ seconds: Int) -> String {
        let days = floorDivide(seconds, day)
        let (year, month, dayOfMonth) = civil(days)
        let second = seconds - days * day
        let parts = [second / 3_600, second / 60 % 60, second % 60]
        let time = parts.map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)Z"
    }

    /// Returns the seconds, or nil if the text is not a valid date in the exact format of ``text(_:)``.
    static func seconds(_ text: String) -> Int? {
        let parts = text.utf8.split { !(0x30...0x39).contains($0) }.map {
            $0.reduce(0) { $0 &* 10 &+ Int($1 - 0x30) }
        }
        guard parts.count == 6, text.utf8.count == 20 else { return nil }
        let seconds = days(parts[0], parts[1], parts[2]) * day + parts[3] * 3_600 + parts[4] * 60 + parts[5]
        return self.text(seconds) == text ? seconds : nil
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
        dividend >= 0 ? dividend / divisor : (dividend - divisor + 1) / divisor
    }

    // Years start in March, so that the leap day is the last day. 400 years have 146,097 days.

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
