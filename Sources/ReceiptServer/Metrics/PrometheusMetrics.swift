#if Server
    import Synchronization

    /// A store of metrics for Prometheus, in its text format 0.0.4.
    final class PrometheusMetrics: Sendable {
        /// The metrics that share a name.
        private struct Family {
            let type: String
            var metrics: [(series: [String], metric: any PrometheusMetric)] = []
        }

        private let families = Mutex<[String: Family]>([:])

        /// Returns all metrics in Prometheus' text format.
        /// - Parameter help: The descriptions by metric name.
        func text(help: [String: String]) -> String {
            let families = families.withLock { $0 }
            var text = ""
            text.reserveCapacity(32 << 10)
            for (name, family) in families.sorted(by: { $0.key < $1.key }) {
                if let help = help[name] { text += "# HELP \(name) \(help)\n" }
                text += "# TYPE \(name) \(family.type)\n"
                for (series, metric) in family.metrics {
                    for (series, value) in zip(series, metric.values) {
                        text += series
                        text += value
                        text += "\n"
                    }
                }
            }
            return text
        }

        /// Registers a metric. Metrics with the same name have the same type and different labels.
        func add<Metric: PrometheusMetric>(
            _ made: Metric, _ name: String, _ labels: KeyValuePairs<String, String> = [:]
        ) -> Metric {
            let text = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            let series = Metric.series(name, text).map { $0 + " " }
            families.withLock { $0[name, default: Family(type: Metric.type)].metrics.append((series, made)) }
            return made
        }

        private static func escaped(_ value: String) -> String {
            value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        }
    }

    /// A metric in Prometheus' text format.
    protocol PrometheusMetric: AnyObject, Sendable {
        /// The type in Prometheus' text format.
        static var type: String { get }

        /// Returns the names of the metric's series, with their labels.
        /// - Parameter labels: The labels without braces; may be empty.
        static func series(_ name: String, _ labels: String) -> [String]

        /// The values of these series.
        var values: [String] { get }
    }

    extension PrometheusMetric {
        static func series(_ name: String, _ labels: String) -> [String] { [name + braced(labels)] }
    }

    final class PrometheusCounter: PrometheusMetric {
        static let type = "counter"

        private let value = Atomic<Int64>(0)

        func increment() { value.add(1, ordering: .relaxed) }

        /// Raises the value to a total. A lower total changes nothing.
        func advance(to total: Int) { value.max(Int64(total), ordering: .relaxed) }

        var values: [String] { [String(value.load(ordering: .relaxed))] }
    }

    final class PrometheusGauge: PrometheusMetric {
        static let type = "gauge"

        private let value = Mutex(0.0)

        func set(_ value: Double) { self.value.withLock { $0 = value } }

        var values: [String] {
            let value = value.withLock { $0 }
            return [Int64(exactly: value).map { String($0) } ?? "\(value)"]
        }
    }

    /// A histogram of durations. It records nanoseconds and reports seconds.
    final class PrometheusHistogram: PrometheusMetric {
        static let type = "histogram"

        private struct Counts {
            var buckets = [UInt64](repeating: 0, count: PrometheusHistogram.bounds.count)
            var count: UInt64 = 0
            var sum: Int64 = 0
        }

        private static let bounds: [(nanoseconds: Int64, text: String)] = [
            (50_000, "5e-05"), (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"),
            (1_000_000, "0.001"), (2_500_000, "0.0025"), (5_000_000, "0.005"), (10_000_000, "0.01"),
            (25_000_000, "0.025"), (50_000_000, "0.05"), (100_000_000, "0.1"), (250_000_000, "0.25"),
            (1_000_000_000, "1"), (2_500_000_000, "2.5"), (10_000_000_000, "10"),
        ]

        private let counts = Mutex(Counts())

        func record(nanoseconds: Int64) {
            let bucket = Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds }
            counts.withLock { counts in
                if let bucket { counts.buckets[bucket] += 1 }
                counts.count += 1
                counts.sum &+= nanoseconds
            }
        }

        static func series(_ name: String, _ labels: String) -> [String] {
            let start = labels.isEmpty ? "" : "\(labels),"
            let buckets = (bounds.map(\.text) + ["+Inf"]).map { "\(name)_bucket{\(start)le=\"\($0)\"}" }
            return buckets + ["\(name)_sum\(braced(labels))", "\(name)_count\(braced(labels))"]
        }

        var values: [String] {
            let counts = counts.withLock { $0 }
            var sum: UInt64 = 0
            let buckets = counts.buckets.map { count in
                sum += count
                return String(sum)
            }
            return buckets + [String(counts.count), "\(Double(counts.sum) / 1e9)", String(counts.count)]
        }
    }

    private func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
#endif
