#if Server
    import Synchronization

    final class PrometheusCounter: PrometheusMetric {
        static let type = "counter"

        private let value = Atomic<Int64>(0)

        func increment() { value.add(1, ordering: .relaxed) }

        /// Raises the value to a total. A lower total changes nothing.
        func advance(to total: Int) { value.max(Int64(total), ordering: .relaxed) }

        var values: [String] { [String(value.load(ordering: .relaxed))] }
    }
#endif
