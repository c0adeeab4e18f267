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
#endif
