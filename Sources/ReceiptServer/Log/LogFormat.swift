#if Server
    /// The format of the log's lines.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// A line for people: time, level, message, then `name=value` pairs.
        case text
        /// A JSON object a line.
        case json
    }
#endif
