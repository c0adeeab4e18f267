import AppReceipt

/// A digest of lines as they are written: of each block and of the digest before it, so that no more than a block is
/// kept, wherever the writes are cut.
struct LineDigest {
    private let sha256: ([UInt8]) -> [UInt8]?
    /// The digest of the blocks before, and what came behind them.
    private var pending: [UInt8] = []
    private var isBroken = false

    private static let block = 1 << 16

    /// - Parameter sha256: nil where the library fails.
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

    /// Hexadecimal.
    /// - Throws: ``AuditError`` where the library failed.
    func text() throws(AuditError) -> String {
        guard !isBroken, let digest = sha256(pending) else { throw Self.failure }
        return hexadecimal(digest)
    }
}
