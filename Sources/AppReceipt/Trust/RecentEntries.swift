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
