#if Server
    /// What is wrong with a setting, or with a file that one names.
    public struct SettingsError: Error, CustomStringConvertible {
        /// One line for a person.
        public let description: String
        /// Whether a setting itself is wrong, and not a file.
        public let isUsage: Bool

        init(_ description: String, isUsage: Bool = false) {
            (self.description, self.isUsage) = (description, isUsage)
        }
    }
#endif
