import ReceiptForge
import Testing

@testable import ReceiptAudit

/// Keys with two values, in memory and in the parts of a file.
struct KeyRangesTests {
    /// Checks counts around the number of pairs that are written to the file at once. Only the last pair
    /// contradicts another pair, which is the first one.
    @Test(arguments: [32_767, 32_768, 32_769, 65_536])
    func noPairIsLostAtTheFileBoundary(count: Int) throws {
        var ranges = KeyRanges()
        for number in 0..<count {
            // An odd factor, so that all keys differ.
            let key = UInt64(number % (count - 1) + 1) &* 0x9E37_79B9_7F4A_7C15
            try ranges.add(
                key, Int64(number), at: .init(receipt: Int64(number), position: 0))
        }
        var found: [Int64] = []
        try ranges.forEachContradiction { found.append($0.receipt) }
        #expect(found == [0] || found == [Int64(count - 1)])
    }

    /// Checks the results against a dictionary. About thirty thousand pairs are written to the file at once.
    @Test(arguments: [0, 1, 767, 768, 1000, 24_500, 32_768, 160_000])
    func contradictionsAgreeWithADictionary(count: Int) throws {
        var random = SplitMix64(seed: 7)
        var ranges = KeyRanges()
        // Zero is a valid key, and so are keys that differ only in their high or low bits.
        let keys = (0..<count).map { number -> UInt64 in
            switch number % 100 {
            case 0: number == 0 ? 0 : UInt64(number)
            case 1: UInt64(number) << 40
            default: random.next()
            }
        }
        let values = keys.indices.map { ($0, Int64(bitPattern: random.next() >> 1)) }
        // A third of the pairs occurs again, half of them with another value.
        let again = values.filter { _ in random.next() % 3 == 0 }
        var pairs = values + again.map { ($0, random.next() % 2 == 0 ? $1 : $1 ^ 1) }
        var known: [Int: (low: Int64, high: Int64)] = [:]
        pairs.shuffle(using: &random)
        for (number, value) in pairs {
            let bound: KeyRanges.Bound = [.both, .both, .both, .low, .high][Int(random.next() % 5)]
            let (low, high) = (bound == .high ? .max : value, bound == .low ? .min : value)
            known[number] = (min(low, known[number]?.low ?? low), max(high, known[number]?.high ?? high))
            // The largest possible places.
            let place = KeyRanges.Place(
                receipt: 1 << 38 - 1 - Int64(number), position: 1 << 24 - 1 - Int64(number % 3))
            try ranges.add(keys[number], value, bound, at: place)
        }
        var found: [Int] = []
        try ranges.forEachContradiction { place in
            found.append(Int(1 << 38 - 1 - place.receipt))
            #expect(place.position == 1 << 24 - 1 - Int64((found.last ?? 0) % 3))
        }
        let expected = known.filter { $0.value.low < $0.value.high }.map(\.key)
        #expect(found.sorted() == expected.sorted())
        #expect(count < 1000 || expected.count > count / 12)
    }
}
