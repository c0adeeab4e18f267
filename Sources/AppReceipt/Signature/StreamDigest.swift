import CReceiptCrypto

/// SHA-256 of bytes that come in pieces: of a file that is too large to be held. Of one thread at a time.
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

    /// The digest, once, when everything was added; nil where OpenSSL failed.
    package func finish() -> [UInt8]? {
        var value = receipt_crypto_digest()
        guard let pointer = unsafe pointer, !isBroken, unsafe receipt_crypto_stream_finish(pointer, &value)
        else { return nil }
        return Digest(value).bytes
    }
}

extension ReceiptVerifier {
    /// A digest of what is read in pieces.
    package func streamDigest() -> StreamDigest { StreamDigest(context) }
}
