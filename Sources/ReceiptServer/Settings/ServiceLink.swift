#if Server
    /// The environment variables that Kubernetes sets in each container for each Service of its namespace. Those of a
    /// Service named `appreceipt` have the same prefix as settings.
    enum ServiceLink {
        private static let protocols = ["TCP", "UDP", "SCTP"]

        /// Returns whether Kubernetes sets a variable with this name to a value like this one. The only settings with such
        /// names are `APPRECEIPT_PORT` and `APPRECEIPT_HEALTH_PORT`. Their values are numbers as settings, and URLs as links.
        static func isOne(_ name: String, _ value: String) -> Bool {
            name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT")
                || name.contains("_SERVICE_PORT_") || isPort(name)
                || (name.hasSuffix("_PORT")
                    && protocols.contains { value.hasPrefix("\($0.lowercased())://") })
        }

        /// Returns whether a name ends in `_PORT_`, a number, a protocol, and optionally a part of the address.
        private static func isPort(_ name: String) -> Bool {
            var words = name.split(separator: "_", omittingEmptySubsequences: false)
            if let last = words.last, ["PROTO", "PORT", "ADDR"].contains(last) { words.removeLast() }
            guard words.count > 3, words[words.count - 3] == "PORT", UInt16(words[words.count - 2]) != nil
            else { return false }
            return protocols.contains { $0 == words[words.count - 1] }
        }
    }
#endif
