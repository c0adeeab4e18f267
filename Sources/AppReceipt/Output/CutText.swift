extension String {
    /// The text, shortened to 500 bytes if it is longer, with its full size.
    package var cut: String {
        let limit = 500
        guard utf8.count > limit else { return self }
        return "\(String(decoding: utf8.prefix(limit), as: UTF8.self))… (\(utf8.count) bytes)"
    }
}
