import Testing

@testable import AppReceipt

/// The C module's vector code gives the results of code without vectors, on every processor.
struct VectorTests {
    private static let verifier = Result { try ReceiptVerifier() }

    /// Checks that neither the other message nor its length has an effect.
    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000])
    func digestsOfPairsAreThoseOfOpenSSL(length: Int) throws {
        let verifier = try Self.verifier.get()
        let bytes = (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
        let first = Array(bytes[..<length])
        for other in 0..<300 {
            let second = Array(bytes[(2000 - other)...])
            // Other processors have no such digests.
            guard let pair = Digest.sha256(of: first, second) else { return }
            #expect(pair.0.bytes == verifier.sha256(of: first), "beside \(other) bytes")
            #expect(pair.1.bytes == verifier.sha256(of: second), "\(other) bytes")
        }
    }

    /// Checks every byte value at every position among plain bytes.
    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 200])
    func plainPrefixEndsBeforeSpecialBytes(count: Int) {
        let whole = [UInt8](repeating: 0x41, count: count).span.plainPrefix
        #expect(whole == 0 || whole == count / 64 * 64)
        var text = [UInt8](repeating: 0x41, count: count)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                text[index] = byte
                let isPlain = (0x20..<0x80).contains(byte) && byte != 0x22 && byte != 0x5C
                #expect(text.span.plainPrefix == min(whole, isPlain ? whole : index), "\(byte) at \(index)")
            }
            text[index] = 0x41
        }
    }
}
