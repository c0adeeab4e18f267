/// Which files of a folder are read: those that one of the first patterns fits, or all where there are none, and none of
/// the second.
///
/// A pattern without a slash is held against a file's name, any other against its path below the folder. `*` is any text
/// without a slash, `?` one character without, `**` any text at all; everything else stands for itself.
public struct PathFilter: Hashable, Sendable {
    public var include: [String]
    public var exclude: [String]

    public init(include: [String] = [], exclude: [String] = []) {
        (self.include, self.exclude) = (include, exclude)
    }

    /// - Parameter path: below the folder.
    package func takes(_ path: some Collection<UInt8>) -> Bool {
        (include.isEmpty || include.contains { Self.fits($0, path) }) && !excludes(path)
    }

    /// Whether a file or a whole folder is left out.
    func excludes(_ path: some Collection<UInt8>) -> Bool { exclude.contains { Self.fits($0, path) } }

    private static func fits(_ pattern: String, _ path: some Collection<UInt8>) -> Bool {
        let pattern = Array(pattern.unicodeScalars)
        let name =
            pattern.contains("/") ? Array(path) : Array(path.reversed().prefix { $0 != 0x2F }.reversed())
        return fits(pattern, Array(String(decoding: name, as: UTF8.self).unicodeScalars))
    }

    /// All ways through the pattern at once, so that no path takes more steps than the pattern has characters for each of
    /// its own.
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
