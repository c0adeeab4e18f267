import Synchronization

/// The most recent entries. When the list is full, a new entry replaces the oldest one.
struct RecentEntries<Entry> {
    static var capacity: Int { 64 }

    private(set) var entries: [Entry] = []
    private var oldest = 0

    mutating func insert(_ entry: Entry) {
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
    }

    mutating func replace(at index: Int, with entry: Entry) { entries[index] = entry }
}

/// A counter of successful and failed lookups.
final class LookupCounter: Sendable {
    private let found = Atomic(0)
    private let missed = Atomic(0)

    /// Counts a lookup with this result and returns it.
    func counted<Entry>(_ entry: Entry?) -> Entry? {
        if entry == nil {
            missed.add(1, ordering: .relaxed)
        } else {
            found.add(1, ordering: .relaxed)
        }
        return entry
    }

    var counts: (found: Int, missed: Int) {
        (found.load(ordering: .relaxed), missed.load(ordering: .relaxed))
    }
}
