import CReceiptCrypto
import StrictJSON

/// A SHA-256 digest that needs no heap allocation.
package struct SHA256Digest: Hashable, Sendable {
    package static let count = 32
    private var value = SIMD32<UInt8>()

    /// Creates a digest of 32 zeros, in place of one that is computed later.
    package init() {}

    /// Creates a digest from 32 bytes. Returns nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        for (index, byte) in zip(value.indices, bytes) { value[index] = byte }
    }

    /// Creates a digest from 64 lower-case hexadecimal digits. Returns nil for any other text.
    package init?(hexadecimal text: some Collection<UInt8>) {
        let upperCase = UInt8(ascii: "A")...UInt8(ascii: "F")
        guard text.count == 2 * Self.count, !text.contains(where: upperCase.contains),
            let bytes = [UInt8](hexadecimal: text)
        else { return nil }
        self.init(bytes)
    }

    fileprivate init(_ digest: Digest) {
        unsafe withUnsafeBytes(of: digest.value.bytes) {
            value = unsafe $0.loadUnaligned(as: SIMD32<UInt8>.self)
        }
    }

    package var bytes: [UInt8] { value.indices.map { value[$0] } }

    /// The digest as lower-case hexadecimal text.
    package var text: String { hexadecimal(bytes) }

    package func append(to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }
}

extension ReceiptVerifier {
    /// Returns the SHA-256 of each message, sixteen at once if the processor supports it.
    /// - Throws: ``ReceiptError`` if OpenSSL fails.
    package func digests(ofEach messages: [ArraySlice<UInt8>]) throws(ReceiptError) -> [SHA256Digest] {
        let digests = context.sha256(ofEach: messages).compactMap { $0.map { SHA256Digest($0) } }
        guard digests.count == messages.count else { throw .cryptographyUnavailable }
        return digests
    }

    /// Returns the SHA-256 of the concatenated parts.
    /// - Throws: ``ReceiptError`` if OpenSSL fails.
    package func digest(
        of first: Span<UInt8>, _ second: Span<UInt8> = Span(), _ third: Span<UInt8> = Span()
    ) throws(ReceiptError) -> SHA256Digest {
        SHA256Digest(try context.digest(.sha256, of: first, second, third))
    }

    /// Returns the SHA-256 of a marker byte followed by two digests.
    /// - Throws: ``ReceiptError`` if OpenSSL fails.
    package func digest(
        of mark: UInt8, _ left: SHA256Digest, _ right: SHA256Digest
    ) throws(ReceiptError) -> SHA256Digest {
        // A tuple stores the two digests next to each other in memory.
        var parts = (left, right, mark)
        let result = unsafe withUnsafeBytes(of: &parts) { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self).span
            return Result { () throws(ReceiptError) in
                try digest(
                    of: bytes.extracting(64..<65), bytes.extracting(0..<32), bytes.extracting(32..<64))
            }
        }
        return try result.get()
    }
}
