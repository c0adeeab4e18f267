import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is renamed when it is whole; until then whatever ends the process takes it along.
package enum UnfinishedFile {
    /// The address of its path; 0 where there is none.
    private static let address = Atomic<UInt>(0)

    /// Every path that was named: none is given back, because a signal may come at any time.
    private static let paths = Mutex<[UInt]>([])

    /// Names the file before it is made.
    static func begin(_ path: String) {
        let copy = unsafe UInt(bitPattern: strdup(path))
        paths.withLock { $0.append(copy) }
        address.store(copy, ordering: .releasing)
    }

    static func end() { address.store(0, ordering: .releasing) }

    /// Removes the file, if there is one. Calls nothing that a signal's handler must not.
    package static func remove() {
        guard let path = unsafe UnsafePointer<CChar>(bitPattern: address.load(ordering: .acquiring)) else {
            return
        }
        _ = unsafe unlink(path)
    }
}
