import AppReceipt
import Foundation
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// Dates in Pacific time, compared with `pacific-time.tsv`. The table contains each clock change in
/// California from 1976 to 2050 and random instants. Tests/Peers/pacific_time.py made it with Python's
/// zoneinfo.
struct PacificTimeTests {
    @Test func everyInstantAgreesWithZoneinfo() throws {
        let table = String(decoding: try AnswerFixtures.bytes("answers/pacific-time.tsv"), as: UTF8.self)
        let rows = table.split(separator: "\n")
        #expect(rows.count > 1000)
        for row in rows {
            let cells = row.split(separator: "\t")
            let date = Timestamp(millisecondsSince1970: try #require(Int64(cells[0])))
            #expect(AnswerZone.pacific.text(date) == "\(cells[1]) America/Los_Angeles", "\(date)")
        }
    }

    @Test(arguments: [
        // milliseconds are rounded down
        (
            "2023-11-05T08:59:59.999Z", "2023-11-05 08:59:59 Etc/GMT",
            "2023-11-05 01:59:59 America/Los_Angeles"
        ),
        // the hour that occurs twice that night
        ("2023-11-05T09:59:59Z", "2023-11-05 09:59:59 Etc/GMT", "2023-11-05 01:59:59 America/Los_Angeles"),
        // the previous day and year
        ("2024-01-01T07:59:59Z", "2024-01-01 07:59:59 Etc/GMT", "2023-12-31 23:59:59 America/Los_Angeles"),
        // before 1970, with a fraction
        (
            "1969-12-31T23:59:59.500Z", "1969-12-31 23:59:59 Etc/GMT",
            "1969-12-31 15:59:59 America/Los_Angeles"
        ),
        // the first instant that a receipt can name
        ("0000-01-01T00:00:00Z", "0000-01-01 00:00:00 Etc/GMT", "0000-01-01 00:00:00 America/Los_Angeles"),
        // the last one
        ("9999-12-31T23:59:59Z", "9999-12-31 23:59:59 Etc/GMT", "9999-12-31 15:59:59 America/Los_Angeles"),
    ])
    func inBothZones(date: String, gmt: String, pacific: String) throws {
        let date = try #require(Timestamp(rfc3339: date))
        #expect(AnswerZone.gmt.text(date) == gmt)
        #expect(AnswerZone.pacific.text(date) == pacific)
    }

    /// Checks that no instant causes a trap.
    @Test(arguments: [Int64.min, .min + 1, .max - 1, .max])
    func noInstantTraps(milliseconds: Int64) {
        let date = Timestamp(millisecondsSince1970: milliseconds)
        #expect(AnswerZone.gmt.text(date).hasSuffix(" Etc/GMT"))
        #expect(AnswerZone.pacific.text(date).hasSuffix(" America/Los_Angeles"))
    }
}
