import ReceiptForge
import Testing

@Suite("ECDSA")
struct ECDSATests {
    /// Checks RFC 6979, A.2.5 and A.2.6: message "sample" or "test", PKCS #8 key without its public point, r
    /// and s.
    @Test(
        "signatures agree with RFC 6979",
        arguments: [
            (
                p256, "sample", Digest.sha256,
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
                "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            ),
            (
                p256, "test", .sha256, "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
                "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
            ),
            // One digest shorter than the order and one longer.
            (
                p256, "sample", .sha1, "61340c88c3aaebeb4f6d667f672ca9759a6ccaa9fa8811313039ee4a35471d32",
                "6d7f147dac089441bb2e2fe8f7a3fa264b9c475098fdcf6e00d7c996e1b8b7eb"
            ),
            (
                p256, "sample", .sha512, "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00",
                "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe"
            ),
            (
                p384, "sample", .sha384,
                "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
                "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"
            ),
        ])
    func vectors(key: String, message: String, digest: Digest, r: String, s: String) throws {
        let signature = try PrivateKey(importing: bytes(key)).sign(Array(message.utf8), digest: digest)
        let fields = [r, s].map { digits in
            let number = bytes(digits)
            return BER.element(BER.Tag.integer, (number[0] >= 0x80 ? [0] : []) + number)
        }
        #expect(signature == BER.sequence(fields[0], fields[1]))
    }

    private static let p256 =
        "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
    private static let p384 =
        "304e020100301006072a8648ce3d020106052b81040022043730350201010430"
        + "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5"

    private func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(digits.dropFirst(start).prefix(2), radix: 16) ?? 0
        }
    }
}
