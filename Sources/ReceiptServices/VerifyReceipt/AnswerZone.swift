package import AppReceipt

/// The two time zones in which verifyReceipt writes every date.
package enum AnswerZone: Sendable {
    /// The time zone Etc/GMT.
    case gmt
    /// The time zone America/Los_Angeles.
    case pacific

    /// The length in bytes of "yyyy-MM-dd HH:mm:ss" and the longer zone name.
    static let capacity = 39

    /// Returns the text of a date, without fractions of a second.
    package func text(_ date: Timestamp) -> String {
        unsafe String(unsafeUninitializedCapacity: Self.capacity) { unsafe write(date, to: $0) }
    }

    /// Writes the bytes of ``text(_:)`` and returns their number.
    func write(_ date: Timestamp, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let local = self == .gmt ? date : date.onPacificClocks
        _ = unsafe local.writeRFC3339(to: buffer)
        unsafe buffer[10] = UInt8(ascii: " ")
        // The zone replaces the milliseconds, if any, and the Z after the seconds.
        let zone: StaticString = self == .gmt ? " Etc/GMT" : " America/Los_Angeles"
        for index in 0..<zone.utf8CodeUnitCount { unsafe buffer[19 + index] = zone.utf8Start[index] }
        return 19 + zone.utf8CodeUnitCount
    }
}
