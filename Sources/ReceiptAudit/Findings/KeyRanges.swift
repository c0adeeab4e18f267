import Foundation

/// Finds the keys with two values among any number of pairs, in a memory that does not grow with them.
///
/// Keys are hashes. Those of one key are put together as they come; where the table is full, it goes to a file in parts
/// by the first byte of the keys, and at the end each part is put together by itself.
struct KeyRanges {
    /// What is known of a key: the least low and the greatest high value, and a transaction that has it.
    struct Entry {
        /// Zero where there is none.
        var key: UInt64 = 0
        var low: Int64 = 0
        var high: Int64 = 0
        var place = Place()
    }

    /// A transaction, or a receipt where the position does not matter, in eight bytes.
    struct Place {
        private var bits: UInt64 = 0

        init() {}

        init(receipt: Int64, position: Int64) {
            bits =
                UInt64(truncatingIfNeeded: receipt) << 24 | UInt64(truncatingIfNeeded: position) & 0xFF_FFFF
        }

        var receipt: Int64 { Int64(bits >> 24) }
        var position: Int64 { Int64(bits & 0xFF_FFFF) }
    }

    private var table = Table(capacity: 1 << 15)
    /// On their way into the table, whose places no cache holds: many at a time are waited for at once.
    private var waiting: [Entry] = []
    private var spill: Spill?

    private static let addedAtOnce = 256

    fileprivate static let parts = 256

    fileprivate static func part(of entry: Entry) -> Int { Int(entry.key >> 56) }

    /// Adds a pair; `low` and `high` are its value, or one of them is out of range where the value counts only for the
    /// other.
    @inline(__always)
    mutating func add(_ key: UInt64, low: Int64, high: Int64, at place: Place) throws(AuditError) {
        waiting.append(Entry(key: key == 0 ? 1 : key, low: low, high: high, place: place))
        if waiting.count == Self.addedAtOnce { try addWaiting() }
    }

    @inline(never)
    private mutating func addWaiting() throws(AuditError) {
        for entry in waiting { table.add(entry) }
        waiting.removeAll(keepingCapacity: true)
        if table.isFull { try spillTable() }
    }

    @inline(never)
    private mutating func spillTable() throws(AuditError) {
        var file: Spill
        if let spill { file = spill } else { file = try Spill() }
        spill = nil
        try file.write(table.slots)
        spill = file
        table.removeAll()
    }

    /// A place of each key whose low value is less than its high one.
    mutating func forEachContradiction<Failure: Error>(_ body: (Place) throws(Failure) -> Void) throws {
        try addWaiting()
        guard spill != nil else { return try table.forEachContradiction(body) }
        try spillTable()
        guard let spill else { return }
        for part in 0..<Self.parts {
            var whole = Table(capacity: spill.count(ofPart: part))
            try spill.read(part: part) { whole.add($0) }
            try whole.forEachContradiction(body)
        }
    }

    /// Open addressing; the last bits of a key say where its place is, as the first are alike in a part.
    private struct Table {
        /// Those without a key are free.
        private(set) var slots: [Entry]
        private var count = 0

        /// - Parameter capacity: entries that have room; more make it ``isFull``.
        init(capacity: Int) {
            var size = 64
            while size < capacity * 3 / 2 { size *= 2 }
            slots = Array(repeating: Entry(), count: size)
        }

        var isFull: Bool { count * 4 >= slots.count * 3 }

        mutating func removeAll() {
            for index in slots.indices { slots[index].key = 0 }
            count = 0
        }

        @inline(__always)
        mutating func add(_ entry: Entry) {
            let mask = slots.count - 1
            var index = Int(truncatingIfNeeded: entry.key) & mask
            while slots[index].key != entry.key {
                if slots[index].key == 0 {
                    slots[index] = entry
                    count += 1
                    return
                }
                index = (index + 1) & mask
            }
            if entry.low < slots[index].low { slots[index].low = entry.low }
            if entry.high > slots[index].high { slots[index].high = entry.high }
        }

        func forEachContradiction<Failure: Error>(_ body: (Place) throws(Failure) -> Void) throws(Failure) {
            for entry in slots where entry.key != 0 && entry.low < entry.high { try body(entry.place) }
        }
    }
}

/// Entries in a file that nobody else sees, in parts.
private struct Spill {
    private let file: ScratchFile
    /// Of each time that it was written: where it begins, and after how many entries each part ends.
    private var runs: [(start: Int, ends: [UInt32])] = []

    init() throws(AuditError) { file = try ScratchFile() }

    /// Writes the entries among these that have a key.
    mutating func write(_ slots: [KeyRanges.Entry]) throws(AuditError) {
        var counts = Array(repeating: 0, count: KeyRanges.parts)
        for entry in slots where entry.key != 0 { counts[KeyRanges.part(of: entry)] += 1 }
        // Where the next one of each part goes; behind the last one, where the part ends.
        var places: [Int] = []
        var count = 0
        for inPart in counts {
            places.append(count)
            count += inPart
        }
        var entries = Array(repeating: KeyRanges.Entry(), count: count)
        for entry in slots where entry.key != 0 {
            let part = KeyRanges.part(of: entry)
            entries[places[part]] = entry
            places[part] += 1
        }
        runs.append((file.size, places.map { UInt32($0) }))
        try unsafe file.append(entries.span.bytes)
    }

    func count(ofPart part: Int) -> Int { runs.reduce(0) { $0 + Self.range(of: part, in: $1.ends).count } }

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
