import CReceiptCrypto

/// A digest that needs no heap allocation.
struct Digest {
    var value: receipt_crypto_digest

    init(_ value: receipt_crypto_digest) { self.value = value }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: value.bytes) { unsafe Array($0.prefix(value.count)) }
    }

    /// Returns the SHA-256 digests of two messages, or nil if the processor does not compute two at once.
    /// Signatures must not depend on them, because they are not OpenSSL's.
    static func sha256(of first: [UInt8], _ second: [UInt8]) -> (Digest, Digest)? {
        var (one, other) = (receipt_crypto_digest(), receipt_crypto_digest())
        let isDone = unsafe first.span.withSlice { first in
            unsafe second.span.withSlice { second in
                unsafe receipt_crypto_sha256_pair(first, second, &one, &other)
            }
        }
        return isDone ? (Digest(one), Digest(other)) : nil
    }

    /// Compares in a time that depends only on the lengths.
    func equals(_ bytes: Span<UInt8>) -> Bool {
        var value = self.value
        return unsafe bytes.withSlice { unsafe receipt_crypto_digest_equals(&value, $0) }
    }
}
