import StrictJSON
import Testing

/// The reader scans text 8 and 64 bytes at a time. No byte that needs an escape may pass as plain text.
struct PlainTextTests {
    private func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != 0x22 && byte != 0x5C
    }

    /// Checks every byte value at every position among plain bytes.
    @Test func scanStopsBeforeSpecialBytes() {
        for count in [0, 1, 63, 64, 65, 127, 128, 130] {
            var text = [UInt8](repeating: 0x41, count: count)
            #expect(text.span.plainStretch == count / 64 * 64)
            for index in text.indices {
                for byte in UInt8.min...UInt8.max {
                    text[index] = byte
                    let end = isPlain(byte) ? count : index
                    #expect(
                        text.span.plainStretch == min(end, count) / 64 * 64, "\(byte) at \(index) of \(count)"
                    )
                }
                text[index] = 0x41
            }
        }
    }

    /// Checks every pair of adjacent bytes, because a borrow from one byte could affect the next.
    @Test func wordIsPlainIfAllItsBytesAre() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let word = UInt64(first) << 24 | UInt64(second) << 32 | 0x4141_4100_0041_4141
                let arePlain = isPlain(first) && isPlain(second)
                #expect((word.oddities == 0) == arePlain, "\(first), \(second)")
                #expect(
                    word.isPlainText == (arePlain && first != 0x7F && second != 0x7F), "\(first), \(second)")
            }
        }
    }
}
