package import SystemLibrary

/// A path as the system uses it: bytes that need not be UTF-8, and possibly more than one call allows.
package struct SystemPath: Sendable {
    /// The zero-terminated bytes.
    private let bytes: [CChar]

    private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

    package init(_ text: String) { bytes = Array(text.utf8CString) }

    /// Creates a path.
    /// - Parameter bytes: The bytes without the terminating zero.
    package init(bytes: some Sequence<UInt8>) { self.bytes = bytes.map(CChar.init(bitPattern:)) + [0] }

    /// Opens the file.
    /// - Returns: A descriptor, which the caller must close.
    package func open(_ flags: Int32) throws(SystemError) -> Int32 {
        try unsafe call { folder, name in unsafe openat(folder, name, flags | O_CLOEXEC) }
    }

    package func status(followingLinks: Bool) throws(SystemError) -> stat {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        _ = try unsafe call { folder, name in unsafe fstatat(folder, name, &status, flags) }
        return status
    }

    /// Returns the names in a folder, without those of itself and its parent.
    /// - Returns: The names that were read, also if there was an error.
    package func names() -> (FolderNames, SystemError?) {
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
            // Only errno distinguishes the end from an error.
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

    /// Makes a system call with the last part of the path, relative to an open folder, because no call allows
    /// more than PATH_MAX bytes.
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
            // With a leading slash, the part would be an absolute path.
            while bytes[start] == Self.slash { start += 1 }
        }
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe body(folder, $0 + start) } ?? -1
        }
        guard result >= 0 else { throw SystemError(number: errno) }
        return result
    }
}
