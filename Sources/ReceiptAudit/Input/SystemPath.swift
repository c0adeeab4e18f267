#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a call of the system failed with.
struct SystemError: Error {
    let number: Int32
}

/// A path as the system knows it: bytes that need not be UTF-8, and more of them than one call takes.
struct SystemPath: Sendable {
    /// Zero-terminated.
    private let bytes: [CChar]

    private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

    init(_ text: String) { bytes = Array(text.utf8CString) }

    /// - Parameter bytes: without the zero at the end.
    init(bytes: some Sequence<UInt8>) { self.bytes = bytes.map(CChar.init(bitPattern:)) + [0] }

    /// - Returns: a descriptor that is closed by the caller.
    func open(_ flags: Int32) throws(SystemError) -> Int32 {
        try unsafe call { folder, name in unsafe openat(folder, name, flags | O_CLOEXEC) }
    }

    func status(followingLinks: Bool) throws(SystemError) -> stat {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        _ = try unsafe call { folder, name in unsafe fstatat(folder, name, &status, flags) }
        return status
    }

    /// The names in a folder, but for those of itself and its parent.
    /// - Returns: also those that were read before an error.
    func names() -> (FolderNames, SystemError?) {
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try open(O_RDONLY | O_DIRECTORY)
        } catch {
            return (FolderNames(), error)
        }
        guard let directory = unsafe fdopendir(descriptor) else {
            let error = SystemError(number: errno)
            close(descriptor)
            return (FolderNames(), error)
        }
        defer { unsafe closedir(directory) }
        var names = FolderNames()
        while true {
            // The end and an error look alike but for this.
            errno = 0
            guard let entry = unsafe readdir(directory) else {
                let error = errno == 0 ? nil : SystemError(number: errno)
                names.sort()
                return (names, error)
            }
            unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
                unsafe names.add(name.prefix { $0 != 0 })
            }
        }
    }

    /// Calls the system with the folder that the path's last stretch is seen from, as no call takes more than
    /// PATH_MAX bytes.
    private func call(
        _ body: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(SystemError) -> Int32 {
        var folder = AT_FDCWD
        defer { if folder != AT_FDCWD { close(folder) } }
        var start = 0
        while bytes.count - start > Int(PATH_MAX) {
            let stretch = bytes[start..<start + Int(PATH_MAX)]
            guard let end = stretch.lastIndex(of: Self.slash), end > start else {
                throw SystemError(number: ENAMETOOLONG)
            }
            let next = unsafe openat(
                folder, Array(bytes[start..<end]) + [0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard next >= 0 else { throw SystemError(number: errno) }
            if folder != AT_FDCWD { close(folder) }
            folder = next
            start = end + 1
            // A slash at its front would make it begin at the root.
            while bytes[start] == Self.slash { start += 1 }
        }
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe body(folder, $0 + start) } ?? -1
        }
        guard result >= 0 else { throw SystemError(number: errno) }
        return result
    }
}

/// The names in a folder, sorted by their bytes and packed: a folder may hold millions.
struct FolderNames {
    private var bytes: [UInt8] = []
    private var starts: ArraySlice<Int> = []
    /// Names that begin with a full stop; they are left out.
    private(set) var hidden = 0

    var isEmpty: Bool { starts.isEmpty }

    mutating func add(_ name: some Collection<UInt8>) {
        if name.first == UInt8(ascii: ".") {
            let isFolderItself = name.count == 1 || (name.count == 2 && name.allSatisfy { $0 == name.first })
            hidden += isFolderItself ? 0 : 1
            return
        }
        starts.append(bytes.count)
        bytes += name
        bytes.append(0)
    }

    mutating func sort() {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return }
            starts.sort { unsafe strcmp(base + $0, base + $1) < 0 }
        }
    }

    mutating func next() -> ArraySlice<UInt8>? { starts.popFirst().map { bytes[$0...].prefix { $0 != 0 } } }
}
