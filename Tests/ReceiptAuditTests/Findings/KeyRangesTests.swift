import ReceiptForge
import Testing

@testable import ReceiptAudit

/// Keys with two values, in the table alone and in parts of a file.
struct KeyRangesTests {
    /// A table takes some fifty thousand keys before it goes to the file.
    @Test(arguments: [0, 1, 1000, 49_151, 49_152, 160_000])
    func contradictionsAreThoseOfADictionary(count: Int) throws {
        var random = SplitMix64(seed: 7)
        var ranges = KeyRanges()
        // Zero is a key like others, and so are keys that differ in one end of theirs alone.
        let keys = (0..<count).map { number -> UInt64 in
            switch number % 100 {
            case 0: number == 0 ? 0 : UInt64(number)
            case 1: UInt64(number) << 40
            default: random.next()
            }
        }
        let values = keys.map { ($0, Int64(bitPattern: random.next() >> 1)) }
        // A third of them comes again, half of those with another value.
        let again = values.filter { _ in random.next() % 3 == 0 }
        var pairs = values + again.map { ($0, random.next() % 2 == 0 ? $1 : $1 ^ 1) }
        var known: [UInt64: (low: Int64, high: Int64)] = [:]
        pairs.shuffle(using: &random)
        for (key, value) in pairs {
            known[key] = (min(value, known[key]?.low ?? value), max(value, known[key]?.high ?? value))
            try ranges.add(
                key, low: value, high: value,
                at: .init(
                    receipt: Int64(truncatingIfNeeded: key & 0xFF_FFFF_FFFF), position: Int64(key >> 40)))
        }
        var found: [UInt64] = []
        try ranges.forEachContradiction { place in
            found.append(UInt64(place.position) << 40 | UInt64(place.receipt))
        }
        let expected = known.filter { $0.value.low < $0.value.high }.map(\.key)
        #expect(found.sorted() == expected.sorted())
        #expect(count < 1000 || expected.count > count / 8)
    }
}
