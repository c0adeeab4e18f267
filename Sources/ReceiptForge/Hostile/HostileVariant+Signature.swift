// Invalid signatures, and signatures over other bytes.
extension HostileVariant {
    static let signature: [HostileVariant] = [
        signerInfo("signature-first-bit", "the first bit of the signature flipped") { $0.signature[0] ^= 1 },
        signerInfo("signature-last-bit", "the last bit of the signature flipped") {
            $0.signature.flipBit(fromEnd: 1)
        },
        signerInfo("signature-zero", "a signature of zero bytes") {
            $0.signature = Array(repeating: 0, count: $0.signature.count)
        },
        signerInfo("signature-one", "the number 1 as signature") {
            $0.signature = Array(repeating: 0, count: $0.signature.count - 1) + [1]
        },
        signerInfo("signature-larger-than-modulus", "a signature with all bits set") {
            $0.signature = Array(repeating: 0xFF, count: $0.signature.count)
        },
        signerInfo("signature-empty", "an empty signature", or: [.malformed]) { $0.signature = [] },
        signerInfo("signature-short", "the last byte is missing") { $0.signature.removeLast() },
        signerInfo("signature-leading-zero", "a zero byte before the signature") {
            $0.signature.insert(0, at: 0)
        },
        signing("signature-over-element", "the signature covers the OCTET STRING's header, too") {
            BER.octetString($0)
        },
        signing("signature-over-nothing", "the signature covers no bytes") { _ in [] },
        signing("signature-over-other-content", "the signature of another receipt") { $0 + [0] },
        container("content-bit-flipped", "one flipped bit in the content", .badSignature) {
            $0.eContent?.flipBit(fromEnd: 3)
        },
        HostileVariant("content-replaced", "another bundle id with this receipt's signature", .badSignature) {
            recipe throws(ForgeError) in
            var other = recipe.content
            other.bundleID = "com.example.other"
            let payload = try other.encoded()
            recipe.editContainer { $0.eContent = payload }
        },
        HostileVariant("content-reordered", "the same attributes in another order", .badSignature) {
            recipe throws(ForgeError) in
            let elements = try recipe.content.attributes().map(\.encoded)
            let payload = BER.element(BER.Tag.set, BER.concatenated(BER.sorted(elements).reversed()))
            recipe.editContainer { $0.eContent = payload }
        },
        HostileVariant(
            "exponent-3-forged", "forged without the key: garbage after the digest, exponent 3",
            .badSignature
        ) { recipe throws(ForgeError) in
            recipe.authority = try .test { profiles throws(ForgeError) in
                profiles.leaf.key = try TestKey.exponent3.key
            }
            recipe.editContainer { container throws(ForgeError) in
                container.signerInfos[0].signature = try cubeRoot(try container.looseBlock())
            }
        },
        HostileVariant(
            "padding-too-short", "PKCS #1 padding of eight bytes, garbage after the digest", .badSignature
        ) {
            recipe in
            let key = recipe.authority.leaf.key
            recipe.editContainer { container throws(ForgeError) in
                container.signerInfos[0].signature = try key.rawSign(try container.looseBlock())
            }
        },
        signerInfo("digest-named-sha1", "signed with SHA-256, declared as SHA-1") {
            $0.digestAlgorithm = Digest.sha1.algorithmIdentifier
        },
        signerInfo("digest-named-sha512", "signed with SHA-256, declared as SHA-512") {
            $0.digestAlgorithm = Digest.sha512.algorithmIdentifier
        },
        signerInfo("digest-unknown", "an unknown digest", or: [.malformed]) {
            $0.digestAlgorithm = BER.sequence(([1, 3, 9, 9] as OID).encoded, BER.null)
        },
        signerInfo("digest-empty", "an algorithm identifier without an algorithm", .malformed) {
            $0.digestAlgorithm = BER.sequence()
        },
        HostileVariant("digest-md5", "signed with MD5", .badSignature, or: [.malformed]) { $0.digest = .md5 },
        HostileVariant("signature-pss", "RSASSA-PSS", .badSignature, or: [.malformed]) { $0.scheme = .pss },
        HostileVariant("signature-pss-unnamed", "RSASSA-PSS, declared as PKCS #1 v1.5", .badSignature) {
            recipe in
            recipe.scheme = .pss
            recipe.editContainer {
                $0.signerInfos[0].signatureAlgorithm = SignatureAlgorithm.rsaEncryption
            }
        },
        signerInfo("signature-named-ecdsa", "RSA, declared as ECDSA", or: [.malformed]) {
            $0.signatureAlgorithm = BER.sequence(SignatureAlgorithm.ecdsaOID(.sha256).encoded)
        },
        signerInfo(
            "signature-named-sha1-with-rsa", "digestAlgorithm and signatureAlgorithm disagree",
            or: [.malformed]
        ) { $0.signatureAlgorithm = BER.sequence(SignatureAlgorithm.rsaOID(.sha1).encoded, BER.null) },
    ]
}

extension SignedData {
    /// Returns a 2,048-bit block that a careless verifier accepts as PKCS #1 v1.5 padding. It consists of
    /// eight bytes of FF, the DigestInfo, and room for garbage.
    fileprivate func looseBlock() throws(ForgeError) -> [UInt8] {
        let digest = try Digest.sha256.hash(eContent ?? [])
        let digestInfo = BER.sequence(Digest.sha256.algorithmIdentifier, BER.octetString(digest))
        let block = [0, 1] + [UInt8](repeating: 0xFF, count: 8) + [0] + digestInfo
        return block + [UInt8](repeating: 0, count: 256 - block.count)
    }
}
