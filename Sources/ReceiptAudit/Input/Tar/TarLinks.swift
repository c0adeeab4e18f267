/// The links of an archive: one to a file or folder of the archive adds nothing, any other leads to what is not there.
struct TarLinks {
    struct Link {
        let path: String
        /// What it leads to, as it stands in the archive.
        let target: String
        let isSymbolic: Bool
    }

    /// Hashes of the names of files that were judged and folders that were met: an archive may hold millions.
    private var known: Set<Int> = []
    /// Links to what may still come.
    private var open: [Link] = []
    private var openBytes = 0
    private var resolved = 0

    private static let mostKnown = 1 << 20
    private static let mostOpenBytes = 1 << 20

    mutating func note(_ path: String) {
        if known.count < Self.mostKnown { known.insert(Self.hash(of: path[...], in: nil)) }
    }

    /// - Returns: false where it leads to nothing and no more can be remembered.
    mutating func add(_ link: Link) -> Bool {
        if resolve(link) { return true }
        let size = link.path.utf8.count + link.target.utf8.count + 64
        guard openBytes + size <= Self.mostOpenBytes else { return false }
        openBytes += size
        open.append(link)
        return true
    }

    /// At the end of the archive: those that lead to nothing. As many links as a system follows are followed.
    mutating func dangling() -> [Link] {
        var left = open
        open = []
        for _ in 0..<40 {
            let count = left.count
            left.removeAll { resolve($0) }
            if left.count == count { break }
        }
        return left
    }

    /// How many links to what is there were met since this was asked.
    mutating func takeResolved() -> Int {
        defer { resolved = 0 }
        return resolved
    }

    private mutating func resolve(_ link: Link) -> Bool {
        let folder = link.path[..<(link.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? link.path.startIndex)]
        let isInside = !link.isSymbolic || !link.target.hasPrefix("/")
        let target = Self.hash(of: link.target[...], in: link.isSymbolic ? folder : nil)
        guard isInside, known.contains(target) else { return false }
        resolved += 1
        note(link.path)
        return true
    }

    /// Of the path without full stops and doubled slashes.
    private static func hash(of path: Substring, in folder: Substring?) -> Int {
        var parts: [Substring] = []
        for part in (folder?.split(separator: "/") ?? []) + path.split(separator: "/") where part != "." {
            if part == ".." && parts.last ?? ".." != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return parts.hashValue
    }
}
