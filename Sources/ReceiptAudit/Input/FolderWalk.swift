import AppReceipt

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files that a path names: itself, or those below it in the order of their names' bytes.
///
/// What is there and cannot be read, or is no file, is handed out too and says why when it is read. Hidden entries are
/// left out and counted, and so are those that a filter does not take. Links to files are followed, links to folders are not.
package struct FolderWalk: Sequence, IteratorProtocol {
    /// Entries left out so far because their names begin with a full stop; a hidden folder is one.
    package private(set) var hidden = 0
    /// The same because of the filter; a folder that it excludes is one.
    package private(set) var filtered = 0
    private let filter: PathFilter
    /// Of the folder or file at hand.
    private var path: [UInt8]
    /// Where the name of what is below the start begins.
    private let nameStart: Int
    private var levels: [(pathCount: Int, names: FolderNames)] = []
    private var first: InputFile?

    /// Bytes that a path may have: each is opened from the top again.
    private static let longestPath = 4 * Int(PATH_MAX)

    /// - Parameters:
    ///   - path: a file, a folder, or `-` for standard input.
    ///   - name: as answers call it.
    ///   - filter: for what is found in a folder.
    package init(_ path: String, name: String? = nil, filter: PathFilter = PathFilter()) {
        self.filter = filter
        self.path = Array(path.utf8)
        nameStart = self.path.count + 1
        let file = InputFile(path: path, name: name ?? path)
        // Of what the system does not tell what it is, reading says why.
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

    /// Nil for a folder that was entered.
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

    /// Reads the names in the folder at hand.
    /// - Returns: what there is to be said where that failed.
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
    var kind: mode_t { st_mode & S_IFMT }
}

/// A file's name as text, another one for every other name: where it is no UTF-8, a byte at fault reads `\xFF`, and a
/// backslash is written twice.
func fileName(_ bytes: some Collection<UInt8>) -> String {
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
