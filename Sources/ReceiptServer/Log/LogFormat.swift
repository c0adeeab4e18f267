#if Server
    /// The format of the log's lines.
    package enum LogFormat: String, Sendable, CaseIterable {
        /// A line for people: time, level, message, then `name=value` pairs.
        case text
        /// A JSON object a line.
        case json
    }
#endif
