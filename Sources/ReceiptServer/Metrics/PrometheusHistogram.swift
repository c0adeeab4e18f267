#if Server
    import Synchronization

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
#endif
