import CReceiptCrypto

/// The owner of the C module's context, which does not change after its creation.
@safe
final class CryptoContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init() throws(ReceiptError) {
        guard let pointer = unsafe receipt_crypto_context_new() else { throw .cryptographyUnavailable }
        unsafe self.pointer = pointer
    }

    deinit { unsafe receipt_crypto_context_free(pointer) }

    /// Returns the digest of the concatenated parts.
    /// - Throws: ``ReceiptError/Reason/cryptographyUnavailable``.
    func digest(
        _ algorithm: DigestAlgorithm, of first: Span<UInt8>, _ second: Span<UInt8> = Span(),
        _ third: Span<UInt8> = Span()
    ) throws(ReceiptError) -> Digest {
        var value = receipt_crypto_digest()
        let status = unsafe first.withSlice { first in
            unsafe second.withSlice { second in
                unsafe third.withSlice { third in
                    unsafe receipt_crypto_digest_of(pointer, algorithm.crypto, first, second, third, &value)
                }
            }
        }
        guard status == RECEIPT_CRYPTO_OK else { throw .cryptographyUnavailable }
        return Digest(value)
    }
}

extension ReceiptError {
    package static let cryptographyUnavailable = ReceiptError(.unreadable, .cryptographyUnavailable)
}

extension Span<UInt8> {
    /// Calls `body` with the bytes as a slice of the C module.
    func withSlice<Value>(_ body: (receipt_crypto_slice) -> Value) -> Value {
        unsafe withUnsafeBufferPointer { buffer in
            unsafe body(receipt_crypto_slice(bytes: buffer.baseAddress, count: buffer.count))
        }
    }
}
