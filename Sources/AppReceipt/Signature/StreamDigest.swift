import CReceiptCrypto

/// The SHA-256 of a file that is too large for memory, added in parts. Not thread-safe.
@safe
package final class StreamDigest {
    private let context: CryptoContext
    private let pointer: OpaquePointer?
    private var isBroken = false

    fileprivate init(_ context: CryptoContext) {
        self.context = context
        unsafe pointer = receipt_crypto_stream_new(context.pointer)
    }

    deinit { unsafe receipt_crypto_stream_free(pointer) }

    package func add(_ bytes: Span<UInt8>) {
        guard let pointer = unsafe pointer else { return }
        unsafe bytes.withSlice { isBroken = unsafe !receipt_crypto_stream_add(pointer, $0) || isBroken }
    }

    /// Returns the digest of everything that was added, or nil if OpenSSL failed. Can be called once.
    package func finish() -> [UInt8]? {
        var value = receipt_crypto_digest()
        guard let pointer = unsafe pointer, !isBroken, unsafe receipt_crypto_stream_finish(pointer, &value)
        else { return nil }
        return Digest(value).bytes
    }
}

extension ReceiptVerifier {
    /// Returns an empty digest for input that is read in parts.
    package func streamDigest() -> StreamDigest { StreamDigest(context) }
}
