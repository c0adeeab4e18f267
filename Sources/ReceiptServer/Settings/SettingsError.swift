#if Server
    /// A problem with a setting or with a file that a setting names.
    public struct SettingsError: Error, CustomStringConvertible {
        /// A message of one line.
        public let description: String
        /// Whether the setting itself is invalid, not the file.
        public let isUsage: Bool

        init(_ description: String, isUsage: Bool = false) {
            (self.description, self.isUsage) = (description, isUsage)
        }
    }
#endif
