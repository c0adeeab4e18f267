import Synchronization

/// The entries that came last: when there are too many, the oldest goes.
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

/// How often something was asked for, and found.
final class LookupCounter: Sendable {
    private let found = Atomic(0)
    private let missed = Atomic(0)

    /// Counts one lookup, and hands on what came of it.
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
