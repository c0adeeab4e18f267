import COpinion
import ReceiptForge
import Testing

@testable import AppReceipt

/// The package's text of names, compared with OpenSSL's.
struct NameTextTests {
    private func openSSL(_ name: [UInt8]) -> String? {
        let read = unsafe opinion_name(name, name.count)
        defer { unsafe opinion_free(read) }
        return unsafe read.bytes.map {
            unsafe String(decoding: UnsafeBufferPointer(start: $0, count: read.count), as: UTF8.self)
        }
    }

    /// Checks every name in every certificate of the fixtures.
    @Test
    func fixturesAgreeWithOpenSSL() throws {
        var count = 0
        for (name, bytes) in try Fixtures.files(in: "receipts") {
            guard let der = try? InputEncoding.decode(bytes).der,
                let container = try? AppReceipt.SignedData(parsing: der.span, limits: ReceiptLimits())
            else { continue }
            for range in container.certificates.flatMap({ [$0.subject, $0.issuer] }) {
                #expect(NameText.text(of: range, in: der.span) == openSSL(range.map { der[$0] }), "\(name)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    /// Checks attributes that OpenSSL knows, with valid text of every string type.
    @Test
    func randomNamesAgreeWithOpenSSL() {
        var random = SplitMix64(seed: 0x4E41_4D45)
        let types: [OID] = [
            [2, 5, 4, 3], [2, 5, 4, 4], [2, 5, 4, 5], [2, 5, 4, 6], [2, 5, 4, 7], [2, 5, 4, 8], [2, 5, 4, 9],
            [2, 5, 4, 10], [2, 5, 4, 11], [2, 5, 4, 12], [2, 5, 4, 13], [2, 5, 4, 15], [2, 5, 4, 17],
            [2, 5, 4, 41], [2, 5, 4, 42], [2, 5, 4, 43], [2, 5, 4, 44], [2, 5, 4, 46], [2, 5, 4, 65],
            [2, 5, 4, 97], [1, 2, 840, 113549, 1, 9, 1], [0, 9, 2342, 19_200_300, 100, 1, 1],
            [0, 9, 2342, 19_200_300, 100, 1, 25], [1, 3, 9, 9],
        ]
        let characters = Array(" #,+\"\\<>;=aZ09\0\n\u{7F}é€😀".unicodeScalars)
        var count = 0
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        for _ in 0..<2000 {
            let name = BER.element(
                BER.Tag.sequence,
                (0..<pick(4)).flatMap { _ in
                    BER.set(
                        of: (0...pick(2)).map { _ in
                            // At least two characters. OpenSSL does not escape a lone "#".
                            let text = (0...1 + pick(4)).map { _ in characters[pick(characters.count)] }
                            let units = text.map { $0.value < 0x10000 ? $0.value : 0x20AC }
                            let value =
                                switch pick(4) {
                                case 0:
                                    BER.element(0x1E, units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
                                case 1:
                                    BER.element(
                                        0x1C,
                                        text.flatMap { c in
                                            [24, 16, 8, 0].map { UInt8(c.value >> $0 & 0xFF) }
                                        })
                                case 2:
                                    BER.element(
                                        [0x12, 0x13, 0x14, 0x16, 0x1A][pick(5)],
                                        text.map { UInt8($0.value & 0x7F) })
                                default:
                                    BER.element(BER.Tag.utf8String, text.flatMap { Array(String($0).utf8) })
                                }
                            return BER.sequence(types[pick(types.count)].encoded, value)
                        })
                })
            guard let expected = openSSL(name) else { continue }
            #expect(NameText.text(of: name.indices, in: name.span) == expected, "\(name)")
            count += 1
        }
        #expect(count > 1500)
    }
}
