/// A filter for the files of a folder. It takes files that match an `include` pattern, or all files if there
/// is none, except those that match an `exclude` pattern.
///
/// A pattern without a slash is compared with a file's name, any other with its path below the folder. `*`
/// matches any text without a slash, `?` one character other than a slash, and `**` any text. Every other
/// character matches itself.
package struct PathFilter: Hashable, Sendable {
    package var include: [String]
    package var exclude: [String]

    package init(include: [String] = [], exclude: [String] = []) {
        (self.include, self.exclude) = (include, exclude)
    }

    /// Returns whether a file is read.
    /// - Parameter path: The path below the folder.
    package func takes(_ path: some Collection<UInt8>) -> Bool {
        (include.isEmpty || include.contains { Self.fits($0, path) }) && !excludes(path)
    }

    /// Returns whether a file or a whole folder is excluded.
    package func excludes(_ path: some Collection<UInt8>) -> Bool { exclude.contains { Self.fits($0, path) } }

    private static func fits(_ pattern: String, _ path: some Collection<UInt8>) -> Bool {
        let pattern = Array(pattern.unicodeScalars)
        let name =
            pattern.contains("/") ? Array(path) : Array(path.reversed().prefix { $0 != 0x2F }.reversed())
        return fits(pattern, Array(String(decoding: name, as: UTF8.self).unicodeScalars))
    }

    /// Returns whether a path matches a pattern. It follows all possible matches at once, so the time is at
    /// most proportional to the product of the lengths.
    private static func fits(_ pattern: [Unicode.Scalar], _ path: [Unicode.Scalar]) -> Bool {
        var places = [Bool](repeating: false, count: pattern.count + 1)
        places[0] = true
        func skipStars() {
            for index in pattern.indices where places[index] && pattern[index] == "*" {
                places[index + 1] = true
            }
        }
        skipStars()
        for character in path {
            var next = [Bool](repeating: false, count: places.count)
            for index in pattern.indices where places[index] {
                switch pattern[index] {
                case "*":
                    let isDouble =
                        pattern[..<index].last == "*" || pattern[(index + 1)...].first == "*"
                    if character != "/" || isDouble { next[index] = true }
                case "?": if character != "/" { next[index + 1] = true }
                case character: next[index + 1] = true
                default: break
                }
            }
            places = next
            skipStars()
        }
        return places[pattern.count]
    }
}
