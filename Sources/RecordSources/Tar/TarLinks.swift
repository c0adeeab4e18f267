/// The links of an archive. A link to a file or folder of the archive adds nothing. Any other link has no
/// target.
struct TarLinks {
    struct Link {
        let path: String
        /// The target as the archive contains it.
        let target: String
        let isSymbolic: Bool
    }

    /// The hashes of the names of files and folders found so far, because an archive may contain millions.
    private var known: Set<Int> = []
    /// The links whose targets may still follow.
    private var open: [Link] = []
    private var openBytes = 0
    private var resolved = 0

    private static let mostKnown = 1 << 20
    private static let mostOpenBytes = 1 << 20

    mutating func note(_ path: String) {
        if known.count < Self.mostKnown { known.insert(Self.hash(of: path[...], in: nil)) }
    }

    /// Adds a link.
    /// - Returns: False if its target is unknown and no more links can be remembered.
    mutating func add(_ link: Link) -> Bool {
        if resolve(link) { return true }
        let size = link.path.utf8.count + link.target.utf8.count + 64
        guard openBytes + size <= Self.mostOpenBytes else { return false }
        openBytes += size
        open.append(link)
        return true
    }

    /// Returns the links without a target, at the end of the archive. It follows chains of links up to a
    /// system's usual limit.
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

    /// Returns the number of links with a target since the last call.
    mutating func takeResolved() -> Int {
        defer { resolved = 0 }
        return resolved
    }

    private mutating func resolve(_ link: Link) -> Bool {
        let folder = link.path[..<(link.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? link.path.startIndex)]
        let isInside = !link.isSymbolic || link.target.utf8.first != UInt8(ascii: "/")
        let target = Self.hash(of: link.target[...], in: link.isSymbolic ? folder : nil)
        guard isInside, known.contains(target) else { return false }
        resolved += 1
        note(link.path)
        return true
    }

    /// Returns the hash of the path without periods and doubled slashes.
    private static func hash(of path: Substring, in folder: Substring?) -> Int {
        let (slash, parent) = (UInt8(ascii: "/"), Array("..".utf8))
        var parts: [[UInt8]] = []
        for part in (folder?.utf8.split(separator: slash) ?? []) + path.utf8.split(separator: slash) {
            let part = Array(part)
            if part == Array(".".utf8) { continue }
            if part == parent && parts.last ?? parent != parent {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts.hashValue
    }
}
