import AppReceipt

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The bytes of a file or of standard input, front to back; of a gzip file those that it holds.
final class ByteStream {
    /// As messages name it.
    let name: String
    /// Bytes taken from the file so far, compressed ones where it is a gzip file.
    private(set) var position = 0
    private let descriptor: Int32
    /// Bytes of the file when it was opened; 0 for what has no size.
    private let size: Int
    private var inflater: Inflater?
    /// The file's first bytes before they are asked for.
    private var pending: [UInt8] = []
    /// Of all that is read; nil where nobody wants one.
    fileprivate let digest: StreamDigest?

    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - digest: of what is read, where it is wanted.
    /// - Throws: ``AuditError`` where it cannot be opened.
    init(path: String, digest: StreamDigest? = nil) throws(AuditError) {
        self.digest = digest
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditError("\(name): \(systemMessage(errno))") }
        size = path == "-" ? 0 : InputFile(path: path).size ?? 0
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Looks at the first bytes: where they are a gzip file's, it is inflated from here on. Waits for one byte, and for
    /// a second one where the first begins no text: a program may wait for an answer before it sends more.
    func inflateIfCompressed() throws(AuditError) {
        while pending.count < 2, pending.first ?? 0x1F == 0x1F, try fill(&pending, upTo: 1 << 16) > 0 {}
        guard pending.starts(with: [0x1F, 0x8B]) else { return }
        inflater = try Inflater(pending, name: name)
        pending = []
    }

    /// Appends what is there, at most `count` bytes, waiting for at least one; 0 at the end.
    /// - Throws: ``AuditError`` where it cannot be read; ``SourceDamage`` where it is a gzip file and damaged, when all
    ///   that stood before was appended.
    func append(to bytes: inout [UInt8], upTo count: Int) throws -> Int {
        if let inflater {
            return try inflater.append(to: &bytes, upTo: count) { _ = try fill(&$0, upTo: 1 << 16) }
        }
        guard !pending.isEmpty else { return try fill(&bytes, upTo: count) }
        let part = min(count, pending.count)
        bytes += pending[..<part]
        pending.removeFirst(part)
        return part
    }

    fileprivate func fill(_ bytes: inout [UInt8], upTo count: Int) throws(AuditError) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        let (received, error) = unsafe bytes.withUnsafeMutableBytes { buffer in
            var received = 0
            repeat {
                received = unsafe systemRead(descriptor, buffer.baseAddress?.advanced(by: start), count)
            } while received < 0 && errno == EINTR
            return (received, errno)
        }
        bytes.removeLast(count - max(received, 0))
        guard received >= 0 else { throw AuditError("\(name), at byte \(position): \(systemMessage(error))") }
        position += received
        digest?.add(bytes.span.extracting(start...))
        // Cut at the end of a line, it would look whole.
        guard received > 0 || position >= size else {
            throw AuditError("\(name): it became shorter while it was read: \(position) of \(size) bytes")
        }
        return received
    }
}

extension ByteStream {
    /// The facts of the whole file: what a reader left behind the end of what it holds is read too.
    /// - Returns: nil where no digest was wanted.
    /// - Throws: ``AuditError``.
    func facts(of source: String) throws(AuditError) -> InputFacts? {
        guard let digest else { return nil }
        var rest: [UInt8] = []
        while try fill(&rest, upTo: 1 << 16) > 0 { rest.removeAll(keepingCapacity: true) }
        guard let sha256 = digest.finish() else { throw AuditError("OpenSSL makes no SHA-256") }
        return InputFacts(source: source, bytes: position, sha256: sha256)
    }
}

/// What the system says of an error number.
func systemMessage(_ error: Int32) -> String { unsafe String(cString: strerror(error)) }
