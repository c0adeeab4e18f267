import Testing

@testable import ReceiptAudit

struct KeyedHashTests {
    private static func hash(_ texts: [String], _ numbers: [UInt64] = []) -> UInt64 {
        var hash = KeyedHash()
        for text in texts {
            var text = text
            text.withUTF8 { unsafe hash.combine(text: UnsafeRawBufferPointer($0)) }
        }
        for number in numbers { hash.combine(number) }
        return hash.value
    }

    private static let prime: UInt64 = 1 << 61 - 1

    @Test(arguments: [
        // Trailing zeros, which also fill incomplete words.
        ([""], ["\0"]), (["\0"], ["\0\0"]), (["a"], ["a\0"]), (["1234567"], ["1234567\0"]),
        // The last byte of a word and the first byte of the next.
        (["1234567"], ["1234568"]), (["12345678"], ["12345679"]), (["123456789012345"], ["123456789012346"]),
        // The same bytes in another order of words.
        (["12345678901234"], ["89012341234567"]),
        // The boundary between two texts.
        (["ab", "c"], ["a", "bc"]), (["", "a"], ["a", ""]), (["a"], ["a", ""]),
    ])
    func differentTextsHaveDifferentHashes(one: [String], other: [String]) {
        #expect(Self.hash(one) != Self.hash(other))
        #expect(Self.hash(one) == Self.hash(one))
    }

    @Test(
        arguments: [
            // Equal modulo the prime.
            ([0], [prime]), ([1], [prime + 1]), ([0], [7 * prime]), ([.max], [.max - 7 * prime]),
            // The high and the low half.
            ([1 << 32], [1]), ([1, 0], [0, 1]), ([0], [0, 0]),
        ] as [([UInt64], [UInt64])])
    func differentNumbersHaveDifferentHashes(one: [UInt64], other: [UInt64]) {
        #expect(Self.hash([], one) != Self.hash([], other))
        #expect(Self.hash([], one) == Self.hash([], one))
    }

    /// Checks that consecutive identifiers, as transactions have, are distributed as if at random.
    @Test func consecutiveNamesAreDistributed() {
        var (parts, places) = (Set<UInt64>(), Set<UInt64>())
        for number in 0..<4096 {
            let value = Self.hash(["2000000\(number)"])
            parts.insert(value >> 52)
            places.insert(value & 4095)
        }
        // 4096 (1 - 1/e) is 2589. A deviation of 200 is more than ten times the standard deviation.
        #expect(abs(parts.count - 2589) < 200)
        #expect(abs(places.count - 2589) < 200)
    }
}
