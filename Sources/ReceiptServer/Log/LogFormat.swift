#if Server
    /// The form of a line of the log.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// For people: time, level, message, then `name=value`.
        case text
        /// A JSON object.
        case json
    }
#endif
