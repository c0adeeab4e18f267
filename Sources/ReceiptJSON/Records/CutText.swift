extension String {
    /// As much of it as a message shows, and how much there is.
    package var cut: String {
        let limit = 500
        guard utf8.count > limit else { return self }
        return "\(String(decoding: utf8.prefix(limit), as: UTF8.self))… (\(utf8.count) bytes)"
    }
}
