/// The first values in an order, each once, and never more than a limit.
struct FirstValues<Value: Comparable> {
    private(set) var values: [Value] = []

    /// Adds a value, unless it is there or comes after the values that are kept.
    mutating func add(_ value: Value) {
        if let last = values.last, values.count == migrationListLimit, last <= value { return }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        if low < values.count, values[low] == value { return }
        values.insert(value, at: low)
        if values.count > migrationListLimit { values.removeLast() }
    }
}

/// The maximum number of subjects, records and other values that a line lists.
let migrationListLimit = 100
