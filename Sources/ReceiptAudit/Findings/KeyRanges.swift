import Foundation
import RecordSources

/// A search for keys with two different values among any number of pairs, in bounded memory.
///
/// Keys are hashes. Many pairs are written to a file in parts, by the first byte of their keys. At the end
/// each part is processed separately.
struct KeyRanges {
    /// The bounds that a value counts for. A key has two values if its least low value is less than its
    /// greatest high value.
    enum Bound: UInt64 { case both, low, high }

    /// A transaction, or a receipt if the position does not matter. It takes eight bytes with two bits to
    /// spare.
    struct Place {
        fileprivate var bits: UInt64 = 0

        init() {}

        init(receipt: Int64, position: Int64) {
            bits =
                UInt64(truncatingIfNeeded: receipt) << 26
                | (UInt64(truncatingIfNeeded: position) & 0xFF_FFFF) << 2
        }

        var receipt: Int64 { Int64(bits >> 26) }
        var position: Int64 { Int64(bits >> 2 & 0xFF_FFFF) }
    }

    /// A pair as it was added.
    fileprivate struct Entry {
        var key: UInt64 = 0
        var value: Int64 = 0
        /// The transaction with the value, and the bound in the last two bits.
        private var rest: UInt64 = 0

        init() {}

        init(key: UInt64, value: Int64, _ bound: Bound, at place: Place) {
            (self.key, self.value, rest) = (key, value, place.bits | bound.rawValue)
        }

        var part: Int { Int(key >> 56) }

        /// The facts about the key from this pair alone.
        var known: Known {
            var place = Place()
            place.bits = rest & ~3
            return Known(
                key: key, low: rest & 3 == Bound.high.rawValue ? .max : value,
                high: rest & 3 == Bound.low.rawValue ? .min : value, place: place)
        }
    }

    /// The facts about a key: its least low and greatest high value, and a transaction that has it.
    fileprivate struct Known {
        /// The key, or 0 if there is none.
        var key: UInt64 = 0
        var low: Int64 = 0
        var high: Int64 = 0
        var place = Place()
    }

    /// The pairs that are not yet in the file.
    private var waiting: [Entry] = []
    private var spill: Spill?

    private static let writtenAtOnce = 1 << 15

    fileprivate static let parts = 256

    @inline(__always)
    mutating func add(_ key: UInt64, _ value: Int64, _ bound: Bound = .both, at place: Place)
        throws(AuditError)
    {
        waiting.append(Entry(key: key == 0 ? 1 : key, value: value, bound, at: place))
        if waiting.count == Self.writtenAtOnce { try spillWaiting() }
    }

    @inline(never)
    private mutating func spillWaiting() throws(AuditError) {
        var file: Spill
        if let spill { file = spill } else { file = try Spill() }
        spill = nil
        try file.write(waiting)
        spill = file
        waiting.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with a place of each key whose low value is less than its high value.
    mutating func forEachContradiction<Failure: Error>(_ body: (Place) throws(Failure) -> Void) throws {
        var table = Table()
        guard spill != nil else {
            for entry in waiting { table.add(entry.known) }
            return try table.forEachContradiction(body)
        }
        try spillWaiting()
        guard let spill else { return }
        for part in 0..<Self.parts {
            table.removeAll()
            try spill.read(part: part) { table.add($0.known) }
            try table.forEachContradiction(body)
        }
    }

    /// A hash table with open addressing. The last bits of a key select its slot, because the first bits are
    /// equal within a part.
    private struct Table {
        /// The slots. Those with key 0 are free.
        private var slots = Array(repeating: Known(), count: 1 << 10)
        private var count = 0

        mutating func removeAll() {
            for index in slots.indices { slots[index].key = 0 }
            count = 0
        }

        @inline(__always)
        mutating func add(_ known: Known) {
            let index = place(of: known.key)
            if slots[index].key == 0 {
                slots[index] = known
                count += 1
                if count * 4 >= slots.count * 3 { grow() }
                return
            }
            if known.low < slots[index].low { slots[index].low = known.low }
            if known.high > slots[index].high { slots[index].high = known.high }
        }

        /// Returns the slot that has the key, or the free slot for it.
        @inline(__always)
        private func place(of key: UInt64) -> Int {
            let mask = slots.count - 1
            var index = Int(truncatingIfNeeded: key) & mask
            while slots[index].key != key && slots[index].key != 0 { index = (index + 1) & mask }
            return index
        }

        @inline(never)
        private mutating func grow() {
            let full = slots
            slots = Array(repeating: Known(), count: full.count * 2)
            for known in full where known.key != 0 { slots[place(of: known.key)] = known }
        }

        func forEachContradiction<Failure: Error>(_ body: (Place) throws(Failure) -> Void) throws(Failure) {
            for known in slots where known.key != 0 && known.low < known.high { try body(known.place) }
        }
    }
}

/// Entries in a private temporary file, in parts.
private struct Spill {
    private let file: ScratchFile
    /// The start of each write in the file, and the number of entries up to the end of each part.
    private var runs: [(start: Int, ends: [UInt32])] = []

    init() throws(AuditError) { file = try ScratchFile() }

    mutating func write(_ entries: [KeyRanges.Entry]) throws(AuditError) {
        var counts = Array(repeating: 0, count: KeyRanges.parts)
        for entry in entries { counts[entry.part] += 1 }
        // The position of the next entry of each part. After the last entry, it is the end of the part.
        var places: [Int] = []
        var count = 0
        for inPart in counts {
            places.append(count)
            count += inPart
        }
        var sorted = Array(repeating: KeyRanges.Entry(), count: count)
        for entry in entries {
            let part = entry.part
            sorted[places[part]] = entry
            places[part] += 1
        }
        runs.append((file.size, places.map { UInt32($0) }))
        try unsafe file.append(sorted.span.bytes)
    }

    func read(part: Int, _ body: (KeyRanges.Entry) -> Void) throws(AuditError) {
        let width = MemoryLayout<KeyRanges.Entry>.stride
        for run in runs {
            let range = Self.range(of: part, in: run.ends)
            let bytes = try file.read(range.count * width, at: run.start + range.lowerBound * width)
            unsafe bytes.withUnsafeBytes { bytes in
                for index in range {
                    let place = (index - range.lowerBound) * width
                    unsafe body(bytes.loadUnaligned(fromByteOffset: place, as: KeyRanges.Entry.self))
                }
            }
        }
    }

    private static func range(of part: Int, in ends: [UInt32]) -> Range<Int> {
        (part == 0 ? 0 : Int(ends[part - 1]))..<Int(ends[part])
    }
}
