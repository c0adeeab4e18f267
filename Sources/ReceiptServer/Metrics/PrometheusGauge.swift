#if Server
    import Synchronization

    final class PrometheusGauge: PrometheusMetric {
        static let type = "gauge"

        private let value = Mutex(0.0)

        func set(_ value: Double) { self.value.withLock { $0 = value } }

        var values: [String] {
            let value = value.withLock { $0 }
            return [Int64(exactly: value).map { String($0) } ?? "\(value)"]
        }
    }
#endif
