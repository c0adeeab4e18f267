import CReceiptCrypto

// Texts of kilobytes stand before a signature of 46 µs: looking at one byte after the other would take a tenth of that.
extension Span<UInt8> {
    /// The place of the first such character; beyond the end where there is none.
    package func index(of character: Unicode.Scalar, from start: Int = 0) -> Int {
        guard start < count else { return count }
        let rest = extracting(start..<count)
        let byte = UInt8(truncatingIfNeeded: character.value)
        return unsafe rest.withSlice { unsafe start + receipt_crypto_index_of($0, byte) }
    }

    /// Whether all bytes are ASCII, and no control character but white space.
    package var isPlainText: Bool {
        unsafe withSlice { unsafe receipt_crypto_is_plain_text($0) }
    }
}
