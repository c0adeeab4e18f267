import Synchronization

/// A cache of recent entries that counts its lookups.
final class RecentCache<Entry: Sendable>: Sendable {
    private let recent = Mutex(RecentEntries<Entry>())
    private let found = Atomic(0)
    private let missed = Atomic(0)

    /// Returns the first such entry.
    func first(where isWanted: (Entry) -> Bool) -> Entry? {
        let entry = recent.withLock { $0.entries }.first(where: isWanted)
        if entry == nil {
            missed.add(1, ordering: .relaxed)
        } else {
            found.add(1, ordering: .relaxed)
        }
        return entry
    }

    /// Inserts an entry, unless another thread has inserted the same one.
    func insert(_ entry: Entry, unless isSame: (Entry) -> Bool) {
        recent.withLock { recent in
            if !recent.entries.contains(where: isSame) { recent.insert(entry) }
        }
    }

    var lookups: (found: Int, missed: Int) {
        (found.load(ordering: .relaxed), missed.load(ordering: .relaxed))
    }
}
