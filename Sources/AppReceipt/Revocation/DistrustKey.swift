import CReceiptCrypto

/// An Ed25519 public key of minisign or SSH, for signatures of distrust lists.
package struct DistrustKey: Sendable {
    private enum Format: Sendable {
        case minisign(identifier: [UInt8])
        case ssh(key: [UInt8])
    }

    private let format: Format
    private let key: [UInt8]

    /// The maximum size of a key or signature in bytes.
    private static let maximumBytes = 16 << 10

    /// The namespace of SSH signatures: `ssh-keygen -Y sign -n appreceipt-distrust`.
    package static let sshNamespace = "appreceipt-distrust"

    /// Reads the public key file of minisign, or a line of an SSH public key file. Returns nil for others.
    package init?(parsing text: [UInt8]) {
        guard text.count <= Self.maximumBytes else { return nil }
        let lines = text.lines
        guard let line = lines.last, lines.count <= 2 else { return nil }
        let words = line.split(separator: UInt8(ascii: " "))
        if words.count >= 2, words[0].elementsEqual("ssh-ed25519".utf8), lines.count == 1 {
            guard let blob = Array(words[1]).base64 else { return nil }
            var reader = SSHReader(blob)
            guard reader.string() == Array("ssh-ed25519".utf8), let key = reader.string(), key.count == 32,
                reader.isAtEnd
            else { return nil }
            (format, self.key) = (.ssh(key: blob), key)
        } else {
            // "Ed", the identifier of the key, the key.
            guard let bytes = line.base64, bytes.count == 42, bytes.starts(with: "Ed".utf8) else {
                return nil
            }
            (format, key) = (.minisign(identifier: Array(bytes[2..<10])), Array(bytes[10...]))
        }
    }

    /// The suffix of a signature's file name, after the name of the signed file.
    package var suffix: String {
        switch format {
        case .minisign: ".minisig"
        case .ssh: ".sig"
        }
    }

    /// Returns whether the key signed the message.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) throws(ReceiptError) -> Bool {
        guard signature.count <= Self.maximumBytes else { return false }
        let context = try CryptoContext()
        switch format {
        case .minisign(let identifier):
            // An untrusted comment, the signature, a trusted comment, and the signature of both.
            let lines = signature.lines
            let comment = "trusted comment: "
            guard lines.count == 4, let own = lines[1].base64, own.count == 74,
                own[2..<10].elementsEqual(identifier), lines[2].starts(with: comment.utf8),
                let whole = lines[3].base64
            else { return false }
            let first = Array(own[10...])
            let signed: [UInt8]
            switch own[..<2] {
            case [0x45, 0x64]: signed = message
            case [0x45, 0x44]: signed = try context.blake2b512(of: message)
            default: return false
            }
            return context.verifyEd25519(first, of: signed, key)
                && context.verifyEd25519(whole, of: first + lines[2].dropFirst(comment.utf8.count), key)
        case .ssh(let blob):
            let lines = signature.lines
            guard lines.count > 2, lines.first == Array("-----BEGIN SSH SIGNATURE-----".utf8),
                lines.last == Array("-----END SSH SIGNATURE-----".utf8),
                let bytes = Array(lines[1..<lines.count - 1].joined()).base64,
                bytes.starts(with: "SSHSIG".utf8 + [0, 0, 0, 1])
            else { return false }
            // OpenSSH, PROTOCOL.sshsig: public key, namespace, reserved, hash algorithm, signature.
            var reader = SSHReader(Array(bytes.dropFirst(10)))
            guard reader.string() == blob, let namespace = reader.string(), let reserved = reader.string(),
                let hash = reader.string(), let outer = reader.string(), reader.isAtEnd,
                namespace == Array(Self.sshNamespace.utf8)
            else { return false }
            var inner = SSHReader(outer)
            guard inner.string() == Array("ssh-ed25519".utf8), let value = inner.string(), inner.isAtEnd,
                let algorithm = DigestAlgorithm(rawValue: String(decoding: hash, as: UTF8.self)),
                algorithm == .sha256 || algorithm == .sha512
            else { return false }
            let digest = try context.digest(algorithm, of: message.span).bytes
            let signed = [namespace, reserved, hash, digest].reduce(Array("SSHSIG".utf8)) {
                $0 + (0..<4).map { [count = $1.count] in UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
                    + $1
            }
            return context.verifyEd25519(value, of: signed, key)
        }
    }
}

/// A reader of strings with a length of four octets (RFC 4251, 5).
private struct SSHReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func string() -> [UInt8]? {
        guard rest.count >= 4 else { return nil }
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension [UInt8] {
    /// The lines without line ends, and without an empty last line.
    fileprivate var lines: [[UInt8]] {
        var lines = split(separator: 0x0A, omittingEmptySubsequences: false).map {
            Array($0.last == 0x0D ? $0.dropLast() : $0)
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    fileprivate var base64: [UInt8]? {
        var fault = 0
        return StrictBase64.standard.decode(span, fault: &fault)
    }
}

extension CryptoContext {
    fileprivate func blake2b512(of message: [UInt8]) throws(ReceiptError) -> [UInt8] {
        var digest = receipt_crypto_digest()
        let isDone = unsafe message.span.withSlice { unsafe receipt_crypto_blake2b512(pointer, $0, &digest) }
        guard isDone else { throw .cryptographyUnavailable }
        return Digest(digest).bytes
    }

    fileprivate func verifyEd25519(_ signature: [UInt8], of message: [UInt8], _ key: [UInt8]) -> Bool {
        unsafe signature.span.withSlice { signature in
            unsafe message.span.withSlice { message in
                unsafe key.span.withSlice { key in
                    unsafe receipt_crypto_verify_ed25519(pointer, key, message, signature)
                }
            }
        }
    }
}
