import Foundation

/// Finds the keys with two values among any number of pairs, in a memory that does not grow with them.
///
/// Keys are hashes. As many as come, they go to a file in parts by the first byte of the keys, and at the end each part is
/// put together by itself.
struct KeyRanges {
    /// What a value counts for: a key has two values where the least low one is less than the greatest high one.
    enum Bound: UInt64 { case both, low, high }

    /// A transaction, or a receipt where the position does not matter, in eight bytes with two bits to spare.
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
        /// The transaction that has it, and the bound behind it.
        private var rest: UInt64 = 0

        init() {}

        init(key: UInt64, value: Int64, _ bound: Bound, at place: Place) {
            (self.key, self.value, rest) = (key, value, place.bits | bound.rawValue)
        }

        var part: Int { Int(key >> 56) }

        /// What is known of the key by this pair alone.
        var known: Known {
            var place = Place()
            place.bits = rest & ~3
            return Known(
                key: key, low: rest & 3 == Bound.high.rawValue ? .max : value,
                high: rest & 3 == Bound.low.rawValue ? .min : value, place: place)
        }
    }

    /// What is known of a key: the least low and the greatest high value, and a transaction that has it.
    fileprivate struct Known {
        /// Zero where there is none.
        var key: UInt64 = 0
        var low: Int64 = 0
        var high: Int64 = 0
        var place = Place()
    }

    /// On their way into the file.
    private var waiting: [Entry] = []
    private var spill: Spill?

    private static let writtenAtOnce = 1 << 15

    fileprivate static let parts = 256

    /// Adds a pair.
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

    /// A place of each key whose low value is less than its high one.
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

    /// Open addressing; the last bits of a key say where its place is, as the first are alike in a part.
    private struct Table {
        /// Those without a key are free.
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

        /// The slot that has the key, or where it goes.
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

/// Entries in a file that nobody else sees, in parts.
private struct Spill {
    private let file: ScratchFile
    /// Of each time that it was written: where it begins, and after how many entries each part ends.
    private var runs: [(start: Int, ends: [UInt32])] = []

    init() throws(AuditError) { file = try ScratchFile() }

    mutating func write(_ entries: [KeyRanges.Entry]) throws(AuditError) {
        var counts = Array(repeating: 0, count: KeyRanges.parts)
        for entry in entries { counts[entry.part] += 1 }
        // Where the next one of each part goes; behind the last one, where the part ends.
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
