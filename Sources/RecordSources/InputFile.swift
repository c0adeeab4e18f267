package import AppReceipt
import SystemLibrary

/// An input file or standard input.
package struct InputFile: Sendable {
    /// The name in the answer.
    package let source: String
    /// The path, or nil for standard input and for an entry with a ``failure``.
    private let path: SystemPath?
    /// Whether the file was found in a folder. It must then be a regular file when it is read, too.
    private let isFound: Bool
    /// The reason why there is no file, if the folder already shows it.
    private let failure: ReceiptError?

    /// Creates an input.
    /// - Parameters:
    ///   - path: The path, or `-` for standard input.
    ///   - name: The name in answers, if it is not the path.
    package init(path: String, name: String? = nil) {
        source = name ?? path
        self.path = path == "-" ? nil : SystemPath(path)
        (isFound, failure) = (false, nil)
    }

    /// Creates an input for a file found in a folder.
    package init(source: String, at path: SystemPath) {
        (self.source, self.path, isFound, failure) = (source, path, true, nil)
    }

    /// Creates an input for an entry that is not a file.
    package init(source: String, isNone reason: String) {
        self.init(source: source, ReceiptError(.unreadable, message: reason))
    }

    /// Creates an input for an entry whose kind the system does not report, or for a folder that cannot be
    /// listed.
    package init(source: String, _ failure: ReceiptError) {
        (self.source, path, isFound, self.failure) = (source, nil, true, failure)
    }

    /// Returns whether the file is the source itself, or a folder that is the source and cannot be listed.
    /// Its name is then not a path below the source.
    package func isNamedAs(_ source: String) -> Bool {
        !isFound || failure != nil && self.source.utf8.elementsEqual(source.utf8)
    }

    /// Reads the whole file.
    /// - Throws: `ReceiptError` with code `unreadable`, or `too_large` for more than `limit` bytes.
    package func read(limit: Int) throws(ReceiptError) -> [UInt8] {
        if let failure { throw failure }
        let descriptor = try open() ?? STDIN_FILENO
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        guard !isFound || status.kind == S_IFREG else {
            throw ReceiptError(.unreadable, message: "not a file any more")
        }
        let size = status.kind == S_IFREG ? Int(status.st_size) : 0
        let bytes = try Self.read(descriptor, size: size, limit: limit)
        guard bytes.count >= size || descriptor == STDIN_FILENO else {
            let message = "it became shorter while it was read: \(bytes.count) of \(size) bytes"
            throw ReceiptError(.unreadable, message: message)
        }
        return bytes
    }

    /// Opens the file. It never waits for a pipe that has replaced a found file.
    private func open() throws(ReceiptError) -> Int32? {
        do throws(SystemError) {
            return try path?.open(isFound ? O_RDONLY | O_NONBLOCK : O_RDONLY)
        } catch {
            throw .unreadable(error.number)
        }
    }

    /// Reads up to the end that the system reports.
    /// - Parameter size: The expected size, which is only a hint because a file may grow.
    private static func read(_ descriptor: Int32, size: Int, limit: Int) throws(ReceiptError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = min(max(size, 4096), limit) + 1
        while true {
            let part: [UInt8]
            do throws(SystemError) {
                part = try systemRead(descriptor, upTo: min(chunk, limit + 1 - bytes.count))
            } catch {
                throw .unreadable(error.number)
            }
            if part.isEmpty { return bytes }
            if bytes.isEmpty { bytes = part } else { bytes += part }
            if bytes.count > limit { throw ReceiptError(.tooLarge, message: "more than \(limit) bytes") }
            chunk = 1 << 16
        }
    }

    // MARK: - Facts from the system

    /// Returns the status, or nil for standard input or a missing file.
    /// - Throws: ``AuditError`` if the system reports another error, because an existing file must not be
    ///   treated as missing.
    private func status() throws(AuditError) -> stat? {
        do throws(SystemError) {
            return try path?.status(followingLinks: true)
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw AuditError("\(source): \(systemMessage(error.number))")
        }
    }

    /// The size of a regular file in bytes, or nil for other kinds.
    package var size: Int? {
        (try? status()).flatMap { $0 }.flatMap { $0.kind == S_IFREG ? Int($0.st_size) : nil }
    }

    /// Whether the input was named and is not a regular file: for example standard input, or a pipe, from which reading takes the
    /// content away. True for a missing file.
    package var isReadableOnce: Bool { !isFound && size == nil }

    /// Returns the first bytes of a regular file, or none for other kinds, which may be readable only once.
    /// - Throws: ``SystemError``, because an unreadable file must not be treated as another kind.
    package func start(_ count: Int) throws(SystemError) -> [UInt8] {
        guard let path, try path.status(followingLinks: true).kind == S_IFREG else { return [] }
        let descriptor = try path.open(O_RDONLY)
        defer { close(descriptor) }
        return try systemRead(descriptor, upTo: count)
    }

    /// The identity of the file, which is equal for all its paths. For a missing file, it consists of its
    /// folder and name.
    /// - Throws: ``AuditError`` if the system reports an error.
    package var identity: String {
        get throws(AuditError) {
            guard path != nil else { return source }
            if let file = try number { return file }
            let name = source.split(separator: "/").last ?? source[...]
            return try folder.number.map { "\($0)/\(name)" } ?? source
        }
    }

    /// The parent folder according to the path.
    private var folder: InputFile {
        let name = source.split(separator: "/").last ?? source[...]
        let folder = source[..<name.startIndex]
        return InputFile(path: folder.isEmpty ? "." : String(folder))
    }

    /// The path of the folder if it exists, otherwise that of the nearest folder above it.
    package var existingFolder: String { (try? isFolder) == true ? source : folder.source }

    private var number: String? {
        get throws(AuditError) { try status().map { "\($0.st_dev):\($0.st_ino)" } }
    }

    /// Returns whether the file is, or would be, below a folder.
    /// - Throws: ``AuditError`` if the system reports an error.
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

    /// Whether the file exists.
    /// - Throws: ``AuditError`` if the system reports an error.
    package var exists: Bool { get throws(AuditError) { try status() != nil } }

    /// Fails if the file does not exist.
    package func requireExistence() throws(AuditError) {
        _ = try AuditError.naming(source) { try path?.status(followingLinks: true) }
    }

    /// Whether it is a folder. False for a missing file.
    /// - Throws: ``AuditError`` if the system reports an error.
    package var isFolder: Bool { get throws(AuditError) { try status()?.kind == S_IFDIR } }
}

extension ReceiptError {
    /// Returns the refusal of a file that cannot be read.
    /// - Parameter what: The operation that failed, if it was not reading.
    package static func unreadable(_ error: Int32, _ what: String? = nil) -> ReceiptError {
        // These errors mean that the process or the machine lacks a resource, for any file.
        let isShortage = [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains(error)
        let message = (what.map { "\($0): " } ?? "") + systemMessage(error)
        return isShortage
            ? ReceiptError(.unreadable, .shortage(message)) : ReceiptError(.unreadable, message: message)
    }
}
