internal import CForgeCrypto

/// A digest algorithm. MD5 is included for hostile receipts. The raw values are names that OpenSSL knows.
public enum Digest: String, CaseIterable, Hashable, Sendable {
    /// MD5, which verifiers reject.
    case md5
    /// SHA-1.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The algorithm's object identifier.
    public var oid: OID {
        switch self {
        case .md5: [1, 2, 840, 113549, 2, 5]
        case .sha1: [1, 3, 14, 3, 2, 26]
        case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
        case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
        case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
        }
    }

    /// The DER of AlgorithmIdentifier with NULL parameters, as Apple writes it.
    public var algorithmIdentifier: [UInt8] { BER.sequence(oid.encoded, BER.null) }

    /// Returns the digest of `bytes`.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func hash(_ bytes: [UInt8]) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("digest", capacity: 64) { output, count in
            unsafe forge_digest(rawValue, bytes, bytes.count, output, &count)
        }
    }
}

/// Runs a libcrypto operation that writes into a buffer of the given capacity, and returns the written bytes.
func cryptoOutput(
    _ operation: String, capacity: Int, _ body: (UnsafeMutablePointer<UInt8>?, inout Int) -> UInt64
) throws(ForgeError) -> [UInt8] {
    var status: UInt64 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        var written = capacity
        status = unsafe body(buffer.baseAddress, &written)
        count = status == 0 ? written : 0
    }
    try check(status, operation)
    return bytes
}

/// Throws an error if a libcrypto status is not 0.
func check(_ status: UInt64, _ operation: String) throws(ForgeError) {
    guard status != 0 else { return }
    let text = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
        unsafe buffer.withMemoryRebound(to: CChar.self) {
            unsafe forge_error_text(status, $0.baseAddress, 256)
        }
        count = unsafe buffer.firstIndex(of: 0) ?? 0
    }
    throw .crypto(operation: operation, reason: String(decoding: text, as: UTF8.self))
}
