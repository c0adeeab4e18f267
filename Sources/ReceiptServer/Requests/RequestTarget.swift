#if Server
    /// The target of a request (RFC 9112, 3.2).
    enum RequestTarget {
        /// Returns the origin form of a target: the path and the query. The absolute form loses its scheme and host.
        ///
        /// - Parameter target: A target in origin, absolute or asterisk form, as the request line has it.
        /// - Returns: The origin form, the asterisk unchanged, or nil if `target` has none of these forms.
        static func originForm(of target: String) -> String? {
            let bytes = target.utf8
            let slash = UInt8(ascii: "/")
            guard !bytes.contains(UInt8(ascii: "#")) else { return nil }
            if bytes.first == slash || bytes.elementsEqual("*".utf8) { return target }
            // No scheme has more than five letters.
            let scheme = bytes.prefix(6).prefix { $0 != UInt8(ascii: ":") }
            guard ["http", "https"].contains(Substring(scheme).lowercased()),
                bytes[scheme.endIndex...].starts(with: "://".utf8)
            else { return nil }
            let rest = bytes[scheme.endIndex...].dropFirst(3)
            let path = rest.drop { $0 != slash && $0 != UInt8(ascii: "?") }
            guard path.startIndex > rest.startIndex else { return nil }
            // RFC 9110, 4.2.3: an empty path is "/".
            return (path.first == slash ? "" : "/") + Substring(path)
        }
    }
#endif
