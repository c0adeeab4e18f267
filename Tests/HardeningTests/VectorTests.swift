import Testing

@testable import AppReceipt

/// The C module's vector code gives the results of code without vectors, on every processor.
struct VectorTests {
    private static let verifier = Result { try ReceiptVerifier() }

    /// Checks messages of every length around the limits of blocks, in every lane, beside messages of other
    /// lengths.
    @Test(arguments: [0, 1, 2, 15, 16, 17, 33, 63, 64, 65, 200])
    func digestsOfManyAreThoseOfOpenSSL(count: Int) throws {
        let verifier = try Self.verifier.get()
        let bytes = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
        for length in [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000] {
            let messages = (0..<count).map { index in
                bytes[index..<index + (length + index * index * 7) % 3000]
            }
            let digests = verifier.context.sha256(ofEach: messages)
            #expect(digests.map { $0?.bytes } == messages.map { verifier.sha256(of: Array($0)) })
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
