package import AppReceipt
import ReceiptExamination
import SystemLibrary

/// The bytes of a file or of standard input in order. Gzip files are inflated, and UTF-16 is converted to
/// UTF-8.
package final class ByteStream {
    /// The name in messages.
    package let name: String
    /// The number of bytes read from the file so far, before decompression.
    package private(set) var position = 0
    private let descriptor: Int32
    /// The size of the file when it was opened, or 0 if it has no size.
    private let size: Int
    /// Whether the next bytes may still be unwritten, as in a pipe. Its writer may wait for an answer.
    package let isAwaited: Bool
    private var inflater: Inflater?
    /// The first bytes of the file that are not consumed yet.
    private var pending: [UInt8] = []
    /// The digest of everything that is read, or nil if it is not needed.
    fileprivate let digest: StreamDigest?
    private var transcoder: UTF16Transcoder?
    /// The peeked bytes that are still to be consumed, from an index on, and the damage that ends them.
    private var head: (bytes: [UInt8], start: Int) = ([], 0)
    private var headDamage: SourceDamage?
    /// The bytes appended since a peek began, and their limit.
    private var looking: (limit: Int, seen: [UInt8])?

    /// Opens a stream.
    /// - Parameters:
    ///   - path: The path, or `-` for standard input.
    ///   - digest: The digest of the bytes read, if it is needed.
    /// - Throws: ``AuditError`` if it cannot be opened.
    package init(path: String, digest: StreamDigest? = nil) throws(AuditError) {
        self.digest = digest
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditError("\(name): \(systemMessage(errno))") }
        // The status is that of the open file. Without it, a file truncated while it is read would seem
        // complete.
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw AuditError("\(name): \(systemMessage(errno))")
        }
        isAwaited = status.kind != S_IFREG
        size = path != "-" && status.kind == S_IFREG ? Int(status.st_size) : 0
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Checks the first bytes and, for a gzip file, inflates from here on. It waits for one byte, and for a
    /// second only if the first cannot begin a text. A program may wait for an answer before it sends more.
    package func inflateIfCompressed() throws(AuditError) {
        while pending.count < 2, pending.first ?? 0x1F == 0x1F, try fill(&pending, upTo: 1 << 16) > 0 {}
        guard pending.starts(with: [0x1F, 0x8B]) else { return }
        inflater = try Inflater(pending, name: name)
        pending = []
    }

    /// Checks the first bytes of a text for a byte order mark, which selects UTF-16 (RFC 2781, 3.2) or is
    /// skipped. It waits for more than one byte only if the first cannot begin a text.
    package func skipByteOrderMark() throws {
        let start = try peek(3) { bytes in
            switch bytes.first {
            case 0xFE, 0xFF: bytes.count >= 2
            case 0xEF: bytes.count >= 3
            default: true
            }
        }
        let isLittleEndian = start.starts(with: [0xFF, 0xFE])
        if isLittleEndian || start.starts(with: [0xFE, 0xFF]) {
            head.start += 2
            transcoder = UTF16Transcoder(isLittleEndian: isLittleEndian)
            var text: [UInt8] = []
            transcoder?.append(head.bytes[head.start...], to: &text)
            head = (text, 0)
        } else if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            head.start += 3
        }
    }

    /// Skips the line `sep=;` with which Excel begins a table, and returns its separator.
    package func skipSeparatorLine() throws -> UInt8? {
        let name = Array("sep=".utf8)
        let start = try peek(7) { bytes in
            bytes.count == 7 || bytes.last == 0x0A || zip(bytes, name).contains { $0 | 0x20 != $1 | 0x20 }
        }
        guard start.count > 5, start.prefix(4).map({ $0 | 0x20 }) == name.map({ $0 | 0x20 }),
            FirstLine.delimiters.contains(start[4]), start[5] == 0x0A || start[5] == 0x0D
        else { return nil }
        head.start += start[5...].elementsEqual([0x0D, 0x0A]) ? 7 : 6
        return start[4]
    }

    /// Returns the next bytes without consuming them, at most `limit`.
    /// - Parameter isEnough: The closure that is called with the bytes so far whenever more arrive.
    package func peek(_ limit: Int, until isEnough: ([UInt8]) -> Bool) throws -> [UInt8] {
        try look(upTo: limit) {
            var bytes: [UInt8] = []
            while try append(to: &bytes, upTo: 1 << 16) > 0, !isEnough(bytes) {}
            return bytes
        }
    }

    /// Runs `body` and then restores all bytes that it appended. During `body`, the stream ends after `limit`
    /// bytes or at damage.
    package func look<Value>(upTo limit: Int, _ body: () throws -> Value) throws -> Value {
        looking = (limit, [])
        defer {
            head = ((looking?.seen ?? []) + head.bytes[head.start...], 0)
            looking = nil
        }
        return try body()
    }

    /// Appends the available bytes, at most `count`. It waits for at least one and returns 0 at the end.
    /// - Throws: ``AuditError`` if it cannot be read. ``SourceDamage`` if a gzip file or UTF-16 is damaged,
    ///   after all previous bytes were appended.
    package func append(to bytes: inout [UInt8], upTo count: Int) throws -> Int {
        guard let left = looking.map({ $0.limit - $0.seen.count }) else {
            return try appendNext(to: &bytes, upTo: count)
        }
        guard left > 0, headDamage == nil else { return 0 }
        let start = bytes.count
        do {
            _ = try appendNext(to: &bytes, upTo: min(count, left))
        } catch let damage as SourceDamage {
            headDamage = damage
        }
        looking?.seen += bytes[start...]
        return bytes.count - start
    }

    private func appendNext(to bytes: inout [UInt8], upTo count: Int) throws -> Int {
        if head.start < head.bytes.count {
            let part = head.bytes[head.start...].prefix(count)
            bytes += part
            head.start += part.count
            if head.start == head.bytes.count { head = ([], 0) }
            return part.count
        }
        if let headDamage { throw headDamage }
        guard transcoder != nil else { return try appendRaw(to: &bytes, upTo: count) }
        let start = bytes.count
        while bytes.count == start {
            var raw: [UInt8] = []
            defer {
                transcoder?.append(raw[...], to: &bytes)
                // Two bytes become at most three. The exception is the second half of a surrogate pair, which
                // makes four with the first half.
                head = (Array(bytes[start...].dropFirst(count)), 0)
                bytes.removeLast(head.bytes.count)
            }
            guard try appendRaw(to: &raw, upTo: max(count / 3 * 2, 1)) > 0 else {
                guard transcoder?.isWhole == false else { return 0 }
                throw SourceDamage(description: "the UTF-16 text is cut off in a character")
            }
        }
        return bytes.count - start
    }

    private func appendRaw(to bytes: inout [UInt8], upTo count: Int) throws -> Int {
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
        var (received, error) = (0, Int32(0))
        bytes.append(addingCapacity: count) { room in
            unsafe room.withUnsafeMutableBufferPointer { buffer, filled in
                received = unsafe systemRead(descriptor, buffer.baseAddress?.advanced(by: filled), count)
                error = errno
                filled += max(received, 0)
            }
        }
        guard received >= 0 else { throw AuditError("\(name), at byte \(position): \(systemMessage(error))") }
        position += received
        digest?.add(bytes.span.extracting(start...))
        // A file truncated at the end of a line would seem complete.
        guard received > 0 || position >= size else {
            throw AuditError("\(name): truncated while being read: \(position) of \(size) bytes")
        }
        return received
    }
}

extension ByteStream {
    /// Returns the facts of the whole file, including the bytes that a reader left after its contents.
    /// - Returns: Nil if no digest is needed.
    package func facts(of source: String) throws(AuditError) -> InputFacts? {
        guard let digest else { return nil }
        var rest: [UInt8] = []
        while try fill(&rest, upTo: 1 << 16) > 0 { rest.removeAll(keepingCapacity: true) }
        guard let sha256 = digest.finish() else {
            throw AuditError("OpenSSL failed to compute a SHA-256 digest")
        }
        return InputFacts(source: source, bytes: position, sha256: sha256)
    }
}

/// Returns the system's message for an error number.
package func systemMessage(_ error: Int32) -> String { unsafe String(cString: strerror(error)) }

/// Returns the message of a file that could not be created. It names the folder if that is missing.
package func creationMessage(_ path: String, _ error: Int32) -> String {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
        separator: "/")
    guard error == ENOENT, !folder.isEmpty, unsafe access(folder, F_OK) != 0 else {
        return "\(path): \(systemMessage(error))"
    }
    return "\(path): the folder \(folder) does not exist"
}
