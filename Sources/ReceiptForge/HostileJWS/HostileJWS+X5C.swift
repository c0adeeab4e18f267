// The x5c member: exactly three certificates in base64, with the pinned root last.
extension HostileJWS {
    static let x5c: [HostileJWS] = [
        header("jws-x5c-absent", "no x5c", "x5c", nil),
        header("jws-x5c-null", "x5c is null", "x5c", "null"),
        header("jws-x5c-empty", "x5c is empty", "x5c", "[]"),
        header("jws-x5c-object", "x5c is an object", "x5c", "{}"),
        header("jws-x5c-nested", "arrays nested 70 levels deep instead of certificates", "x5c", nested(70)),
        HostileJWS("jws-x5c-text", "x5c is a single string") {
            $0.header["x5c"] = $0.authority.bag.first.map { "\"\(Base64.text($0))\"" }
        },
        HostileJWS("jws-x5c-list-in-list", "the certificates in a nested array") {
            $0.header["x5c"] = $0.header["x5c"].map { "[\($0)]" }
        },
        HostileJWS("jws-x5c-number", "a number among the certificates") {
            $0.header["x5c"] = $0.header["x5c"].map { String($0.dropLast()) + ",7]" }
        },
        HostileJWS("jws-x5c-null-behind", "null after the certificates") {
            $0.header["x5c"] = $0.header["x5c"].map { String($0.dropLast()) + ",null]" }
        },
        certificates("jws-x5c-leaf-alone", "only the leaf") { $0 = Array($0.prefix(1)) },
        certificates("jws-x5c-root-alone", "only the root") { $0 = Array($0.suffix(1)) },
        certificates("jws-x5c-two", "no root", .malformed, or: [.untrustedChain, .genuine]) {
            $0 = Array($0.prefix(2))
        },
        certificates("jws-x5c-no-intermediate", "no intermediate", .malformed, or: [.untrustedChain]) {
            $0 = Array($0.prefix(1) + $0.suffix(1))
        },
        certificates("jws-x5c-four", "the root twice", .malformed, or: [.untrustedChain]) {
            $0 += $0.suffix(1)
        },
        certificates("jws-x5c-stranger-behind", "an unrelated certificate after the root", .malformed) {
            certificates throws(ForgeError) in
            certificates.append(try Authority.storeKitTestJWS().root.certificate.der)
        },
        certificates("jws-x5c-reversed", "the root first") { $0.reverse() },
        certificates("jws-x5c-root-second", "root and intermediate swapped") {
            $0 = Array($0.prefix(1) + $0.dropFirst().reversed())
        },
        certificates("jws-x5c-intermediate-first", "leaf and intermediate swapped") {
            $0 = Array($0.prefix(2).reversed() + $0.dropFirst(2))
        },
        certificates("jws-x5c-leaf-thrice", "the leaf three times") {
            $0 = Array(repeating: $0[0], count: 3)
        },
        certificates("jws-x5c-root-thrice", "the root three times", or: [.wrongPurpose]) {
            $0 = Array(repeating: $0[$0.count - 1], count: 3)
        },
        certificates("jws-x5c-leaf-leaf-root", "the leaf instead of the intermediate") {
            $0 = [$0[0], $0[0], $0[$0.count - 1]]
        },
        certificates("jws-x5c-leaf-root-root", "the root instead of the intermediate", or: [.wrongPurpose]) {
            $0 = [$0[0], $0[$0.count - 1], $0[$0.count - 1]]
        },
        certificates("jws-x5c-certificate-and-byte", "a byte after the leaf's DER", .malformed) {
            $0[0].append(0)
        },
        certificates("jws-x5c-root-and-byte", "a byte after the root's DER", .malformed) {
            $0[$0.count - 1].append(0)
        },
        certificates("jws-x5c-certificate-cut", "the leaf without its last byte", .malformed) {
            $0[0].removeLast()
        },
        certificates("jws-x5c-certificate-too-large", "a certificate of 9,000 bytes", .tooLarge) {
            $0[0] = BER.sequence([UInt8](repeating: 0, count: 9_000))
        },
        certificates("jws-x5c-public-key", "the leaf's public key instead of its certificate", .malformed) {
            certificates throws(ForgeError) in
            certificates[0] = try TestKey.jwsLeaf.key.subjectPublicKeyInfo
        },
        certificates("jws-x5c-zeros", "zeros instead of certificates", .malformed) { certificates in
            certificates = certificates.map { _ in [0, 0, 0] }
        },
        certificates("jws-x5c-leaf-bit", "one flipped bit in the signature on the leaf") {
            $0[0].flipBit(fromEnd: 40)
        },
        certificates("jws-x5c-intermediate-bit", "one flipped bit in the signature on the intermediate") {
            $0[1].flipBit(fromEnd: 40)
        },
        certificates("jws-x5c-root-bit", "one flipped bit in the root's own signature") {
            $0[$0.count - 1].flipBit(fromEnd: 40)
        },
        texts("jws-x5c-empty-text", "an empty string instead of the leaf") { $0[0] = "" },
        texts("jws-x5c-base64url", "the certificates in base64url") {
            $0 = $0.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        },
        texts("jws-x5c-unpadded", "no padding after the certificates") {
            $0 = $0.map { $0.replacing("=", with: "") }
        },
        texts("jws-x5c-padding", "more padding than allowed") { $0[0] += "====" },
        texts("jws-x5c-line-breaks", "line breaks after 64 characters") {
            $0[0].insert(contentsOf: "\\n", at: $0[0].index($0[0].startIndex, offsetBy: 64))
        },
        texts("jws-x5c-raw-line-breaks", "a line break that is not escaped") {
            $0[0].insert("\n", at: $0[0].index($0[0].startIndex, offsetBy: 64))
        },
        texts("jws-x5c-blank", "a space before the leaf") { $0[0] = " " + $0[0] },
        texts("jws-x5c-behind-padding", "letters after the padding") { $0[0] += "=AAA" },
        texts("jws-x5c-pem", "the leaf in PEM") {
            $0[0] = "-----BEGIN CERTIFICATE-----\\n\($0[0])\\n-----END CERTIFICATE-----"
        },
        texts("jws-x5c-stray-bits", "nonzero unused bits after the last byte of a certificate") {
            texts throws(ForgeError) in
            guard let index = texts.firstIndex(where: { $0.hasSuffix("=") }) else {
                throw .specification(entry: "", reason: "jws-x5c-stray-bits needs a certificate with padding")
            }
            texts[index].setStrayBit()
        },
    ]
}
