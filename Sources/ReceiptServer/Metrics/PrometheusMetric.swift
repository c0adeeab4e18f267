#if Server
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

        static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
    }
#endif
