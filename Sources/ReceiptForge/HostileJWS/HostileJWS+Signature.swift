// The signature: r and s of 32 bytes each, over the text before the second period.
extension HostileJWS {
    static let signature: [HostileJWS] = [
        HostileJWS("jws-signature-der", "the signature in DER, as in X.509") { recipe in
            recipe.editSignature = { $0 = BER.sequence(integer($0.prefix(32)), integer($0.suffix(32))) }
        },
        rs("jws-signature-of-63-bytes", "the last byte of s is missing", .malformed) { $0.removeLast() },
        rs("jws-signature-of-65-bytes", "a byte after s", .malformed) { $0.append(0) },
        rs("jws-signature-padded", "r and s of 33 bytes each", .malformed) {
            $0 = [0] + $0.prefix(32) + [0] + $0.suffix(32)
        },
        rs("jws-signature-of-p384", "r and s of 48 bytes each", .malformed) {
            let zeros = [UInt8](repeating: 0, count: 16)
            $0 = zeros + $0.prefix(32) + zeros + $0.suffix(32)
        },
        rs("jws-signature-twice", "the signature twice", .malformed) { $0 += $0 },
        rs("jws-signature-half", "only r", .malformed) { $0 = Array($0.prefix(32)) },
        rs("jws-signature-empty", "no signature", .malformed) { $0 = [] },
        rs("jws-signature-in-hex", "r and s in hexadecimal", .malformed) {
            let digits = Array("0123456789abcdef".utf8)
            $0 = $0.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        },
        rs("jws-signature-zero", "r and s are 0") { $0 = [UInt8](repeating: 0, count: 64) },
        rs("jws-r-zero", "r is 0") { $0.replaceSubrange(..<32, with: [UInt8](repeating: 0, count: 32)) },
        rs("jws-s-zero", "s is 0") { $0.replaceSubrange(32..., with: [UInt8](repeating: 0, count: 32)) },
        rs("jws-r-order", "r is the order n") { $0.replaceSubrange(..<32, with: orderOfP256) },
        rs("jws-s-order", "s is the order n") { $0.replaceSubrange(32..., with: orderOfP256) },
        rs("jws-signature-order", "r and s are the order n") { $0 = orderOfP256 + orderOfP256 },
        rs("jws-r-all-ones", "r is 2^256 - 1") {
            $0.replaceSubrange(..<32, with: [UInt8](repeating: 0xFF, count: 32))
        },
        rs("jws-s-all-ones", "s is 2^256 - 1") {
            $0.replaceSubrange(32..., with: [UInt8](repeating: 0xFF, count: 32))
        },
        rs("jws-r-one", "r is 1") { $0.replaceSubrange(..<32, with: [UInt8](repeating: 0, count: 31) + [1]) },
        rs("jws-s-one", "s is 1") { $0.replaceSubrange(32..., with: [UInt8](repeating: 0, count: 31) + [1]) },
        rs("jws-r-negated", "r is n - r") { signature in
            var swapped = Array(signature.suffix(32) + signature.prefix(32))
            swapped.negateS()
            signature = Array(swapped.suffix(32) + signature.suffix(32))
        },
        rs("jws-r-and-s-swapped", "r and s swapped") { $0 = Array($0.suffix(32) + $0.prefix(32)) },
        rs("jws-r-little-endian", "r and s with the lowest byte first") {
            let reversed = Array($0.reversed())
            $0 = Array(reversed.suffix(32) + reversed.prefix(32))
        },
        rs("jws-r-high-bit", "the highest bit of r flipped") { $0[0] ^= 0x80 },
        rs("jws-s-high-bit", "the highest bit of s flipped") { $0[32] ^= 0x80 },
        rs("jws-s-low-bit", "the lowest bit of s flipped") { $0[63] ^= 1 },
        HostileJWS("jws-signed-by-another-key", "signed with another key", .badSignature) {
            recipe throws(ForgeError) in
            recipe.signer = try TestKey.jwsAttacker.key
        },
        signing("jws-signature-of-another-payload", "the signature of another payload") { input in
            input + Array("AAAA".utf8)
        },
        signing("jws-signature-of-the-payload", "the signature covers only the payload") { input in
            Array(input.split(separator: UInt8(ascii: "."))[1])
        },
        signing("jws-signature-of-the-header", "the signature covers only the header") { input in
            Array(input.split(separator: UInt8(ascii: "."))[0])
        },
        signing("jws-signature-without-period", "the signature covers the parts without the period") {
            input in
            input.filter { $0 != UInt8(ascii: ".") }
        },
        signing("jws-signature-with-period", "the signature covers the second period, too") { input in
            input + [UInt8(ascii: ".")]
        },
        signing("jws-signature-of-nothing", "the signature covers the empty string") { _ in [] },
        signing("jws-signature-over-sha384", "signed over SHA-384", digest: .sha384) { $0 },
        signing("jws-signature-over-sha1", "signed over SHA-1", digest: .sha1) { $0 },
        HostileJWS(
            "jws-signature-of-the-digest", "the signature covers the SHA-256 of the SHA-256", .badSignature
        ) { recipe in
            let key = recipe.authority.leaf.key
            recipe.editSigned { input throws(ForgeError) in
                try JWSRecipe.es256(Digest.sha256.hash(input), key: key)
            }
        },
        HostileJWS("jws-header-changed", "a member added to the header after signing", .badSignature) {
            let header = JSONMembers([("typ", #""JWT""#)] + $0.header.list)
            $0.editParts { $0[0] = Base64.text(Array(header.text.utf8), urlSafe: true) }
        },
        HostileJWS("jws-payload-changed", "a member added to the payload after signing", .badSignature) {
            let payload = JSONMembers($0.payload.list + [("futureMember", "0")])
            $0.editParts { $0[1] = Base64.text(Array(payload.text.utf8), urlSafe: true) }
        },
    ]

    /// Makes a variant that signs something other than the text before the second period.
    private static func signing(
        _ id: String, _ summary: String, digest: Digest = .sha256,
        _ message: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> HostileJWS {
        HostileJWS(id, summary, .badSignature) { recipe in
            let key = recipe.signer ?? recipe.authority.leaf.key
            recipe.editSigned { input throws(ForgeError) in
                try JWSRecipe.es256(message(input), key: key, digest: digest)
            }
        }
    }

    private static func integer(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        let content = digits.drop { $0 == 0 }
        return BER.element(BER.Tag.integer, ((content.first ?? 0x80) >= 0x80 ? [0] : []) + content)
    }
}
