import AppReceipt
package import ReceiptJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One file to be read, or standard input.
package struct InputFile: Sendable {
    /// As the answer names it.
    package let source: String
    /// As the system knows it, zero-terminated: a file name need not be UTF-8. Nil for standard input.
    private let path: [CChar]?

    /// - Parameter path: `-` is standard input.
    package init(path: String) {
        self.init(source: path, path: path == "-" ? nil : Array(path.utf8CString))
    }

    private init(source: String, path: [CChar]?) {
        self.source = source
        self.path = path
    }

    /// Reads all of it.
    /// - Throws: ``Refusal`` with code `unreadable`, or `too_large` for more than `limit` bytes.
    package func read(limit: Int) throws(Refusal) -> [UInt8] {
        guard let path else { return try Self.read(STDIN_FILENO, limit: limit) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(errno) }
        defer { close(descriptor) }
        return try Self.read(descriptor, limit: limit)
    }

    private static func read(_ descriptor: Int32, limit: Int) throws(Refusal) -> [UInt8] {
        var status = stat()
        let size = unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        var bytes: [UInt8] = []
        // A file may grow or shrink while it is read: its size is a hint, the end is where read says so.
        var chunk = min(max(size, 4096), limit) + 1
        while true {
            let wanted = min(chunk, limit + 1 - bytes.count)
            var failure: Int32 = 0
            var received = 0
            let part = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                repeat {
                    received = unsafe systemRead(descriptor, buffer.baseAddress, wanted)
                } while received < 0 && errno == EINTR
                failure = errno
                count = max(received, 0)
            }
            if received < 0 { throw .unreadable(failure) }
            if received == 0 { return bytes }
            if bytes.isEmpty { bytes = part } else { bytes += part }
            if bytes.count > limit { throw Refusal(code: .tooLarge, message: "more than \(limit) bytes") }
            chunk = 1 << 16
        }
    }

    // MARK: - Directories

    /// The files that a path names: itself, or those below it in sorted order, hidden ones left out. Links to
    /// directories are not followed.
    package static func files(at path: String) -> [InputFile] {
        let file = InputFile(path: path)
        guard let start = file.path, kind(of: start, followingLinks: true) == S_IFDIR else { return [file] }
        var files: [InputFile] = []
        var pending = [(path: start, name: "")]
        while let (path, name) = pending.popLast() {
            let isStart = name.isEmpty
            switch kind(of: path, followingLinks: isStart) {
            case S_IFDIR:
                guard let entries = entries(of: path) else {
                    files.append(InputFile(source: isStart ? file.source : name, path: path))
                    continue
                }
                // Last first, because the stack turns them round.
                for entry in entries.reversed() {
                    let text = String(decoding: entry.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
                    let below = path.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + entry
                    pending.append((below, isStart ? text : "\(name)/\(text)"))
                }
            case S_IFREG: files.append(InputFile(source: name, path: path))
            case S_IFLNK where kind(of: path, followingLinks: true) == S_IFREG:
                files.append(InputFile(source: name, path: path))
            default: continue
            }
        }
        return files
    }

    /// Bytes of a regular file; nil for anything else.
    package var size: Int? {
        var status = stat()
        guard let path, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// The first bytes of a regular file; none of anything else, which may not be read twice.
    func start(_ count: Int) -> [UInt8] {
        guard let path, size != nil else { return [] }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, read in
            read = max(unsafe systemRead(descriptor, bytes.baseAddress, count), 0)
        }
    }

    /// The same for all paths of one file; of one that is not there yet, its folder and its name in it.
    package var identity: String {
        guard let path else { return source }
        if let file = Self.number(path) { return file }
        let name = source.split(separator: "/").last ?? source[...]
        let folder = source[..<name.startIndex]
        let number = Self.number(Array((folder.isEmpty ? "." : String(folder)).utf8CString))
        return number.map { "\($0)/\(name)" } ?? source
    }

    private static func number(_ path: [CChar]) -> String? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
    }

    package var exists: Bool { path.map { Self.kind(of: $0, followingLinks: true) != nil } ?? false }

    /// - Throws: ``AuditError``.
    package func requireExistence() throws(AuditError) {
        if path != nil && !exists { throw AuditError("\(source): \(systemMessage(ENOENT))") }
    }

    /// False also where there is nothing of that name.
    var isFolder: Bool { path.map { Self.kind(of: $0, followingLinks: true) == S_IFDIR } ?? false }

    private static func kind(of path: [CChar], followingLinks: Bool) -> mode_t? {
        var status = stat()
        let result = unsafe followingLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Names in a directory, zero-terminated and sorted by their bytes; nil where it cannot be read.
    private static func entries(of path: [CChar]) -> [[CChar]]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [[CChar]] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe bytes.prefix { $0 != 0 }.map(CChar.init(bitPattern:)) + [0]
            }
            if name.first != CChar(bitPattern: UInt8(ascii: ".")) { names.append(name) }
        }
        return names.sorted { left, right in
            left.lexicographicallyPrecedes(right) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) }
        }
    }
}

extension Refusal {
    /// What the system says of a file that cannot be read.
    package static func unreadable(_ error: Int32) -> Refusal {
        Refusal(code: .unreadable, message: unsafe String(cString: strerror(error)))
    }
}
