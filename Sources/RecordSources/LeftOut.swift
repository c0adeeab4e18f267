/// The counts of entries in sources that are not records.
package struct LeftOut: Hashable, Sendable {
    /// The number of files and folders whose names begin with a period.
    package var hidden = 0
    /// The number of files and folders that a ``PathFilter`` excludes.
    package var filtered = 0
    /// The number of links in archives to files or folders of the same archive.
    package var links = 0
    package var blankLines = 0

    package init() {}

    package static func + (one: LeftOut, other: LeftOut) -> LeftOut {
        var sum = one
        sum.hidden += other.hidden
        sum.filtered += other.filtered
        sum.links += other.links
        sum.blankLines += other.blankLines
        return sum
    }

    /// A summary for a person, or nil if all counts are 0.
    package var summary: String? {
        let parts = [
            (hidden, "hidden file", "hidden files"),
            (filtered, "file by --include or --exclude", "files by --include or --exclude"),
            (links, "link within an archive", "links within an archive"),
            (blankLines, "blank line", "blank lines"),
        ]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }
}
