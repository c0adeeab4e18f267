import CReceiptCrypto

/// A digest that needs no heap allocation.
struct Digest {
    var value: receipt_crypto_digest

    init(_ value: receipt_crypto_digest) { self.value = value }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: value.bytes) { unsafe Array($0.prefix(value.count)) }
    }

    /// Compares in a time that depends only on the lengths.
    func equals(_ bytes: Span<UInt8>) -> Bool {
        var value = self.value
        return unsafe bytes.withSlice { unsafe receipt_crypto_digest_equals(&value, $0) }
    }
}
