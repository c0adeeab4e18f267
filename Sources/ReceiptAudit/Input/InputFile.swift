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
    /// Nil for standard input.
    private let path: SystemPath?
    /// What was found in a folder must be a file when it is read, too.
    private let isFound: Bool
    /// Why there is none, where the folder said so already.
    private let failure: Refusal?

    /// - Parameter path: `-` is standard input.
    package init(path: String) { self.init(path: path, name: path) }

    /// A file that answers call otherwise.
    init(path: String, name: String) {
        source = name
        self.path = path == "-" ? nil : SystemPath(path)
        (isFound, failure) = (false, nil)
    }

    /// A file that was found in a folder.
    init(source: String, at path: SystemPath) {
        (self.source, self.path, isFound, failure) = (source, path, true, nil)
    }

    /// Something that is no file, or cannot be told to be one.
    init(source: String, isNone reason: String) {
        self.init(source: source, Refusal(code: .unreadable, message: reason))
    }

    /// Something of which the system does not tell what it is.
    init(source: String, _ failure: Refusal) {
        (self.source, path, isFound, self.failure) = (source, nil, true, failure)
    }

    /// Whether it is a source itself, or a folder that is one and cannot be listed: its name is not one below the source.
    func isNamedAs(_ source: String) -> Bool {
        !isFound || failure != nil && self.source.utf8.elementsEqual(source.utf8)
    }

    /// Reads all of it.
    /// - Throws: ``Refusal`` with code `unreadable`, or `too_large` for more than `limit` bytes.
    package func read(limit: Int) throws(Refusal) -> [UInt8] {
        if let failure { throw failure }
        let descriptor = try open() ?? STDIN_FILENO
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        guard !isFound || status.kind == S_IFREG else {
            throw Refusal(code: .unreadable, message: "not a file any more")
        }
        let size = status.kind == S_IFREG ? Int(status.st_size) : 0
        let bytes = try Self.read(descriptor, size: size, limit: limit)
        guard bytes.count >= size || descriptor == STDIN_FILENO else {
            let message = "it became shorter while it was read: \(bytes.count) of \(size) bytes"
            throw Refusal(code: .unreadable, message: message)
        }
        return bytes
    }

    /// A pipe that has taken a found file's place must not be waited for.
    private func open() throws(Refusal) -> Int32? {
        do throws(SystemError) {
            return try path?.open(isFound ? O_RDONLY | O_NONBLOCK : O_RDONLY)
        } catch {
            throw .unreadable(error.number)
        }
    }

    /// - Parameter size: a hint, as a file may grow while it is read: the end is where read says so.
    private static func read(_ descriptor: Int32, size: Int, limit: Int) throws(Refusal) -> [UInt8] {
        var bytes: [UInt8] = []
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

    /// The files that a path names: itself, or those below it.
    package static func files(at path: String) -> FolderWalk { FolderWalk(path) }

    // MARK: - What the system knows of it

    /// Nil for standard input, and where there is nothing of that name.
    /// - Throws: ``AuditError`` where that cannot be told: what is there must not be taken for missing.
    private func status() throws(AuditError) -> stat? {
        do throws(SystemError) {
            return try path?.status(followingLinks: true)
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw AuditError("\(source): \(systemMessage(error.number))")
        }
    }

    /// Bytes of a regular file; nil for anything else.
    package var size: Int? {
        (try? status()).flatMap { $0 }.flatMap { $0.kind == S_IFREG ? Int($0.st_size) : nil }
    }

    /// The first bytes of a regular file; none of anything else, which may not be read twice.
    /// - Throws: ``SystemError``; what cannot be looked at must not be taken for something else.
    func start(_ count: Int) throws(SystemError) -> [UInt8] {
        guard let path, try path.status(followingLinks: true).kind == S_IFREG else { return [] }
        let descriptor = try path.open(O_RDONLY)
        defer { close(descriptor) }
        var received = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            repeat {
                received = unsafe systemRead(descriptor, bytes.baseAddress, count)
            } while received < 0 && errno == EINTR
            initialized = max(received, 0)
        }
        guard received >= 0 else { throw SystemError(number: errno) }
        return bytes
    }

    /// The same for all paths of one file; of one that is not there yet, its folder and its name in it.
    /// - Throws: ``AuditError`` where the system does not tell.
    package var identity: String {
        get throws(AuditError) {
            guard path != nil else { return source }
            if let file = try number { return file }
            let name = source.split(separator: "/").last ?? source[...]
            return try folder.number.map { "\($0)/\(name)" } ?? source
        }
    }

    /// The folder that the path names it in.
    private var folder: InputFile {
        let name = source.split(separator: "/").last ?? source[...]
        let folder = source[..<name.startIndex]
        return InputFile(path: folder.isEmpty ? "." : String(folder))
    }

    private var number: String? {
        get throws(AuditError) { try status().map { "\($0.st_dev):\($0.st_ino)" } }
    }

    /// Whether it stands, or would stand, somewhere below a folder.
    /// - Throws: ``AuditError`` where the system does not tell.
    package func isBelow(_ other: InputFile) throws(AuditError) -> Bool {
        guard path != nil, try other.isFolder, let top = try other.number else { return false }
        var (above, last) = (folder, "")
        // The root's parent is the root.
        while let number = try above.number, number != last {
            if number == top { return true }
            (above, last) = (InputFile(path: above.source + "/.."), number)
        }
        return false
    }

    /// - Throws: ``AuditError`` where the system does not tell.
    package var exists: Bool { get throws(AuditError) { try status() != nil } }

    /// - Throws: ``AuditError``.
    package func requireExistence() throws(AuditError) {
        do throws(SystemError) {
            _ = try path?.status(followingLinks: true)
        } catch {
            throw AuditError("\(source): \(systemMessage(error.number))")
        }
    }

    /// False also where there is nothing of that name.
    /// - Throws: ``AuditError`` where the system does not tell.
    var isFolder: Bool { get throws(AuditError) { try status()?.kind == S_IFDIR } }
}

extension Refusal {
    /// What the system says of a file that cannot be read.
    /// - Parameter what: what could not be done, where that is not to read it.
    package static func unreadable(_ error: Int32, _ what: String? = nil) -> Refusal {
        // What is short is the process's or the machine's, whichever file is asked for.
        let isShortage = [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains(error)
        let message = (what.map { "\($0): " } ?? "") + systemMessage(error)
        return Refusal(code: .unreadable, message: message, isPassing: isShortage)
    }
}
