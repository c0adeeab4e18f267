import AppReceipt
import Testing

struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            // before 1970, with a fraction
            ("1969-12-31T23:59:59.999Z", -1),
            ("2023-08-28T10:24:05Z", 1_693_218_245_000),
            // leap days of 2000 and 2024
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000),
            // Xcode's offset without a colon, and offsets with one
            ("2020-06-01T12:00:00+0100", 1_591_009_200_000),
            ("2020-06-01T12:00:00+01:00", 1_591_009_200_000),
            ("2020-06-01T12:00:00-23:59", 1_591_099_140_000),
            // fractions of one, two, three and more digits: digits after the third are dropped
            ("2020-06-01T11:00:00.5Z", 1_591_009_200_500),
            ("2020-06-01T11:00:00.05Z", 1_591_009_200_050),
            ("2020-06-01T11:00:00.250+0000", 1_591_009_200_250),
            ("2020-06-01T11:00:00.2509999999999999999999Z", 1_591_009_200_250),
            // Xcode's far future
            ("4001-01-01T00:00:00Z", 64_092_211_200_000),
            // the first and last instants
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func reads(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(arguments: [
        "", "Z", "2023", "2023-08-28", "2023-08-28T10:24:05",
        // impossible days, months and times
        "2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "1900-02-29T00:00:00Z", "2023-04-31T00:00:00Z",
        "2023-00-01T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-00T00:00:00Z", "2023-01-32T00:00:00Z",
        "2023-01-01T24:00:00Z", "2023-01-01T00:60:00Z", "2023-01-01T00:00:60Z",
        // signs, blanks, letters and other separators
        "+023-01-01T00:00:00Z", "2023-01-01 00:00:00Z", "2023-01-01t00:00:00z", "2023/01/01T00:00:00Z",
        " 2023-01-01T00:00:00Z", "2023-01-01T00:00:00Z ", "2023-01-01T00:00:00ZZ", "2023-01-01T-1:00:00Z",
        "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00.1", "2023-01-01T00:00:00,1Z",
        // offsets
        "2023-01-01T00:00:00+1", "2023-01-01T00:00:00+01", "2023-01-01T00:00:00+01:0",
        "2023-01-01T00:00:00+0:100",
        "2023-01-01T00:00:00+24:00", "2023-01-01T00:00:00+00:60", "2023-01-01T00:00:00+01:00Z",
        // outside the range of years after the offset is applied
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        // digits that are not ASCII
        "２０２３-01-01T00:00:00Z",
    ])
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    /// Checks the fast path for the 20-character format. For any byte at any position it must agree with the
    /// general parser, which a fraction of zero selects.
    @Test(arguments: ["2023-08-28T10:24:05Z", "2024-02-29T23:59:59Z", "0000-01-01T00:00:00Z"])
    func fastPathAgreesWithTheGeneralParser(text: String) {
        for index in 0..<19 {
            for byte in UInt8.min...UInt8.max {
                var usual = Array(text.utf8)
                usual[index] = byte
                let other = usual.dropLast() + ".0Z".utf8
                #expect(read(usual) == read(Array(other)), "\(byte) at \(index)")
            }
        }
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "Z") {
            #expect(read(text.utf8.dropLast() + [byte]) == nil)
        }
    }

    private func read(_ text: [UInt8]) -> Timestamp? { Timestamp(rfc3339: text.span) }

    /// Checks that every truncated text is refused without a trap.
    @Test
    func refusesTruncation() {
        let text = "2020-06-01T12:00:00.250+01:00"
        for count in 0..<text.count { #expect(Timestamp(rfc3339: text.prefix(count)) == nil) }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_591_009_200_050, "2020-06-01T11:00:00.050Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            // clamped, not wrapped
            (.min, "0000-01-01T00:00:00Z"),
            (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func writes(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).rfc3339 == text)
    }

    /// Checks each day of 400-year cycles from 1600 to 2400 in both directions.
    @Test
    func countsDays() throws {
        let start = try #require(Timestamp(rfc3339: "1600-01-01T00:00:00Z")).millisecondsSince1970
        for day in 0..<Int64(292_194) {
            let instant = Timestamp(millisecondsSince1970: start + day * 86_400_000)
            #expect(Timestamp(rfc3339: instant.rfc3339) == instant)
        }
        #expect(
            Timestamp(millisecondsSince1970: start + 292_194 * 86_400_000).rfc3339 == "2400-01-01T00:00:00Z")
    }
}
