#if Server
    /// A problem with a setting or with a file that a setting names.
    package struct SettingsError: Error, CustomStringConvertible {
        /// A message of one line.
        package let description: String
        /// Whether the setting itself is invalid, not the file.
        package let isUsage: Bool

        init(_ description: String, isUsage: Bool = false) {
            (self.description, self.isUsage) = (description, isUsage)
        }
    }
#endif
