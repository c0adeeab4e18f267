#if Server
    /// The target of a request (RFC 9112, 3.2).
    enum RequestTarget {
        /// Returns the origin form of a target: the path and the query. The absolute form loses its scheme and host.
        ///
        /// - Parameter target: A target in origin, absolute or asterisk form, as the request line has it.
        /// - Returns: The origin form, the asterisk unchanged, or nil if `target` has none of these forms.
        static func originForm(of target: String) -> String? {
            guard !target.utf8.contains(UInt8(ascii: "#")) else { return nil }
            if target.hasPrefix("/") || target == "*" { return target }
            guard let colon = target.firstIndex(of: ":"), target[colon...].hasPrefix("://"),
                ["http", "https"].contains(target[..<colon].lowercased())
            else { return nil }
            let rest = target[colon...].dropFirst(3)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            guard end > rest.startIndex else { return nil }
            // RFC 9110, 4.2.3: an empty path is "/".
            return rest[end...].hasPrefix("/") ? String(rest[end...]) : "/\(rest[end...])"
        }
    }
#endif
