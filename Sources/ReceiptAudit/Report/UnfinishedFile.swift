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

    /// Names the file before it is made. The text is never given back: a signal may come at any time.
    static func begin(_ path: String) {
        unsafe address.store(UInt(bitPattern: strdup(path)), ordering: .releasing)
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
