import Testing

@testable import AppReceipt

/// The C module's vector code gives the results of code without vectors, on every processor.
struct VectorTests {
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
