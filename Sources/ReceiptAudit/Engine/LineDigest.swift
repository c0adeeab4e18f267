import AppReceipt
import RecordSources

/// A digest of the written lines. Each block is hashed together with the digest of the previous blocks. Only
/// one block is buffered, and the sizes of the writes have no effect.
struct LineDigest {
    private let sha256: ([UInt8]) -> [UInt8]?
    /// The digest of the previous blocks, and the bytes after them.
    private var pending: [UInt8] = []
    private var isBroken = false

    private static let block = 1 << 16

    /// Creates a digest of no bytes.
    /// - Parameter sha256: The hash function, which returns nil if the library fails.
    init(sha256: @escaping ([UInt8]) -> [UInt8]?) { self.sha256 = sha256 }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let part = unsafe rest.prefix(Self.block - pending.count)
            unsafe pending.append(contentsOf: part)
            unsafe rest = rest.dropFirst(part.count)
            guard pending.count == Self.block else { continue }
            let digest = sha256(pending)
            isBroken = isBroken || digest == nil
            pending.removeAll(keepingCapacity: true)
            pending += digest ?? []
        }
    }

    static let failure = AuditError("OpenSSL failed to compute a SHA-256 digest")

    /// Returns the digest in hexadecimal.
    /// - Throws: ``AuditError`` if the library failed.
    func text() throws(AuditError) -> String {
        guard !isBroken, let digest = sha256(pending) else { throw Self.failure }
        return hexadecimal(digest)
    }
}
