import AppReceipt
package import SystemLibrary

/// The files at a path: the file itself, or those in the folder in the byte order of their names.
///
/// Entries that cannot be read or are not files are included too, and report the reason when they are read.
/// Hidden entries and those that a filter excludes are skipped and counted. Links to files are followed,
/// links to folders are not.
package struct FolderWalk: Sequence, IteratorProtocol {
    /// The number of entries skipped so far because their names begin with a period. A hidden folder counts
    /// once.
    package private(set) var hidden = 0
    /// The number of entries skipped so far because of the filter. An excluded folder counts once.
    package private(set) var filtered = 0
    private let filter: PathFilter
    /// The path of the current folder or file.
    private var path: [UInt8]
    /// The offset in the path at which names below the start begin.
    private let nameStart: Int
    private var levels: [(pathCount: Int, names: FolderNames)] = []
    private var first: InputFile?

    /// The maximum length of a path in bytes. Each path is opened from the start again.
    private static let longestPath = 4 * Int(PATH_MAX)

    /// Creates a walk.
    /// - Parameters:
    ///   - path: A file, a folder, or `-` for standard input.
    ///   - name: The name in answers.
    ///   - filter: The filter for entries in a folder.
    package init(_ path: String, name: String? = nil, filter: PathFilter = PathFilter()) {
        self.filter = filter
        self.path = Array(path.utf8)
        nameStart = self.path.count + 1
        let file = InputFile(path: path, name: name)
        // If the system does not report the kind, reading the file reports the reason.
        guard (try? file.isFolder) == true else {
            first = file
            return
        }
        first = enter(source: name ?? path)
    }

    package mutating func next() -> InputFile? {
        if let file = first {
            first = nil
            return file
        }
        while let level = levels.indices.last {
            path.removeLast(path.count - levels[level].pathCount)
            guard let name = levels[level].names.next() else {
                levels.removeLast()
                continue
            }
            path.append(UInt8(ascii: "/"))
            path += name
            if let file = visit() { return file }
        }
        return nil
    }

    /// Visits the current entry, and returns nil for a folder that was entered or a skipped entry.
    private mutating func visit() -> InputFile? {
        let source = fileName(path[nameStart...])
        guard path.count <= Self.longestPath else {
            return InputFile(source: source, isNone: "a path of more than \(Self.longestPath) bytes")
        }
        let system = SystemPath(bytes: path)
        let below = path[nameStart...]
        do throws(SystemError) {
            let kind = try system.status(followingLinks: false).kind
            guard kind == S_IFDIR ? !filter.excludes(below) : filter.takes(below) else {
                filtered += 1
                return nil
            }
            if kind == S_IFDIR { return enter(source: source) }
            let isLink = kind == S_IFLNK
            let end = isLink ? try system.status(followingLinks: true).kind : kind
            if end == S_IFREG { return InputFile(source: source, at: system) }
            let message = Self.name(of: end)
            return InputFile(source: source, isNone: isLink ? "a link to \(message)" : message)
        } catch {
            return InputFile(source: source, .unreadable(error.number))
        }
    }

    /// Reads the names in the current folder.
    /// - Returns: An entry that reports the error, or nil if there was none.
    private mutating func enter(source: String) -> InputFile? {
        let (names, error) = SystemPath(bytes: path).names()
        hidden += names.hidden
        if !names.isEmpty { levels.append((path.count, names)) }
        return error.map {
            InputFile(source: source, .unreadable($0.number, "the folder cannot be listed"))
        }
    }

    private static func name(of kind: mode_t) -> String {
        switch kind {
        case S_IFDIR: "a folder, which is not followed"
        case S_IFIFO: "a pipe, not a file"
        case S_IFSOCK: "a socket, not a file"
        case S_IFBLK, S_IFCHR: "a device, not a file"
        default: "not a file"
        }
    }
}

extension stat {
    package var kind: mode_t { st_mode & S_IFMT }
}

/// Returns a file's name as text. Different names give different text: each invalid UTF-8 byte becomes `\xFF`
/// with its value, and a backslash is doubled.
package func fileName(_ bytes: some Collection<UInt8>) -> String {
    let escape = Array("\\x".utf8)
    if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(escape) { return text }
    var text = ""
    var rest = Array(bytes)[...]
    while let byte = rest.first {
        let count = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        if byte == escape[0] {
            text += "\\\\"
        } else if let scalar = String(validating: rest.prefix(count), as: UTF8.self) {
            text += scalar
            rest = rest.dropFirst(count)
            continue
        } else {
            text += "\\x" + hexadecimal([byte])
        }
        rest = rest.dropFirst()
    }
    return text
}
