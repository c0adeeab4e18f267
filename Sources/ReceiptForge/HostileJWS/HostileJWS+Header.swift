// The header: a closed list of members with one type each, and one algorithm.
extension HostileJWS {
    static let header: [HostileJWS] = [
        header("jws-alg-none", "alg is none, with the signature unchanged", "alg", #""none""#),
        HostileJWS("jws-alg-none-unsigned", "alg is none, and no signature") {
            $0.header["alg"] = #""none""#
            $0.editSignature = { $0 = [] }
        },
        header("jws-alg-none-in-capitals", "alg is nOnE", "alg", #""nOnE""#),
        HostileJWS("jws-alg-hs256", "HMAC with the signer's public key as its secret") { recipe in
            recipe.header["alg"] = #""HS256""#
            let secret = recipe.authority.leaf.key.subjectPublicKeyInfo
            recipe.editSigned { input throws(ForgeError) in try Digest.sha256.hmac(input, key: secret) }
        },
        HostileJWS("jws-alg-hs256-twice", "an HMAC of 64 bytes, as long as an ES256 signature") { recipe in
            recipe.header["alg"] = #""HS256""#
            let secret = recipe.authority.leaf.key.subjectPublicKeyInfo
            recipe.editSigned { input throws(ForgeError) in
                let code = try Digest.sha256.hmac(input, key: secret)
                return code + code
            }
        },
        header("jws-alg-es384", "alg is ES384", "alg", #""ES384""#),
        header("jws-alg-es512", "alg is ES512", "alg", #""ES512""#),
        header("jws-alg-es256k", "alg is ES256K", "alg", #""ES256K""#),
        HostileJWS("jws-alg-rs256", "signed by the RSA leaf of receipts, and alg is RS256") {
            recipe throws(ForgeError) in
            recipe.header["alg"] = #""RS256""#
            let leaf = try Authority.test().leaf
            recipe.authority.leaf = leaf
            recipe.signer = try TestKey.jwsLeaf.key
            recipe.editSigned { input throws(ForgeError) in try leaf.key.sign(input, digest: .sha256) }
        },
        header("jws-alg-ps256", "alg is PS256", "alg", #""PS256""#),
        header("jws-alg-eddsa", "alg is EdDSA", "alg", #""EdDSA""#),
        header("jws-alg-in-small", "alg is es256", "alg", #""es256""#),
        header("jws-alg-blank-behind", "a space after ES256", "alg", #""ES256 ""#),
        header("jws-alg-nul-behind", "a NUL after ES256", "alg", #""ES256\u0000""#),
        header("jws-alg-empty", "alg is the empty string", "alg", #""""#),
        header("jws-alg-absent", "no alg", "alg", nil),
        header("jws-alg-null", "alg is null", "alg", "null"),
        header("jws-alg-number", "alg is a number", "alg", "256"),
        header("jws-alg-array", "alg is an array with ES256", "alg", #"["ES256"]"#),
        twice(
            "jws-alg-twice-none-last", "alg twice, the second one none", ("alg", #""none""#), isFirst: false),
        twice(
            "jws-alg-twice-none-first", "alg twice, the first one none", ("alg", #""none""#), isFirst: true),
        twice("jws-alg-twice-alike", "alg twice, both ES256", ("alg", #""ES256""#), isFirst: false),
        twice(
            "jws-alg-twice-escaped", "alg twice, the second name escaped", (#"\u0061lg"#, #""none""#),
            isFirst: false),
        twice("jws-x5c-twice", "x5c twice, the second one empty", ("x5c", "[]"), isFirst: false),
        HostileJWS("jws-alg-name-of-case", "Alg in place of alg") {
            $0.header.list = $0.header.list.map { ($0.name == "alg" ? "Alg" : $0.name, $0.value) }
        },
        HostileJWS("jws-x5c-name-of-case", "X5C in place of x5c") {
            $0.header.list = $0.header.list.map { ($0.name == "x5c" ? "X5C" : $0.name, $0.value) }
        },
        header("jws-crit-empty", "an empty list of critical members (RFC 7515, 4.1.11)", "crit", "[]"),
        header("jws-crit-of-exp", "a critical member that is missing", "crit", #"["exp"]"#),
        HostileJWS("jws-b64-false", "the header declares an unencoded payload (RFC 7797)") {
            $0.header["b64"] = "false"
            $0.header["crit"] = #"["b64"]"#
        },
        header("jws-b64-true", "b64 is true", "b64", "true"),
        header("jws-kid-number", "kid is a number", "kid", "7"),
        header("jws-kid-null", "kid is null", "kid", "null"),
        header("jws-kid-object", "kid is an object", "kid", "{}"),
        header("jws-typ-jose", "typ is JOSE", "typ", #""JOSE""#),
        header("jws-typ-in-small", "typ is jwt", "typ", #""jwt""#),
        header("jws-typ-null", "typ is null", "typ", "null"),
        header("jws-typ-list", "typ is an array with JWT", "typ", #"["JWT"]"#),
        header("jws-cty", "cty declares a nested JWS", "cty", #""JWT""#),
        header("jws-jku", "a URL of keys", "jku", #""https://keys.example.com/jwks.json""#),
        header("jws-x5u", "a URL of certificates", "x5u", #""https://keys.example.com/chain.pem""#),
        header("jws-x5t", "a certificate's digest", "x5t", #""AAAAAAAAAAAAAAAAAAAAAAAAAAA""#),
        HostileJWS("jws-jwk", "signed by the attacker's key, which the header contains") {
            recipe throws(ForgeError) in
            let key = try TestKey.jwsAttacker.key
            let point = key.subjectPublicKeyInfo.suffix(64)
            let coordinates = [point.prefix(32), point.suffix(32)].map {
                Base64.text(Array($0), urlSafe: true)
            }
            recipe.header["jwk"] =
                #"{"kty":"EC","crv":"P-256","x":"\#(coordinates[0])","y":"\#(coordinates[1])"}"#
            recipe.signer = key
        },
        header("jws-zip", "the header declares a compressed payload", "zip", #""DEF""#),
        header("jws-header-unknown", "an unknown header member", "nonce", #""1""#),
        header("jws-header-unknown-null", "an unknown header member that is null", "nonce", "null"),
        headerBytes("jws-header-array", "the header is an array") { $0 = [0x5B] + $0 + [0x5D] },
        headerBytes("jws-header-empty", "an empty header") { $0 = [] },
        headerBytes("jws-header-empty-object", "the header has no members") { $0 = Array("{}".utf8) },
        headerBytes("jws-header-trailing", "a letter after the header's object") { $0.append(0x78) },
        headerBytes("jws-header-two-objects", "two objects in the header") { $0 += $0 },
        headerBytes("jws-header-bom", "a byte order mark before the header") {
            $0 = [0xEF, 0xBB, 0xBF] + $0
        },
        headerBytes("jws-header-comma", "a comma after the last member") {
            $0.removeLast()
            $0 += Array(",}".utf8)
        },
        headerBytes("jws-header-comment", "a comment in the header") {
            $0.removeFirst()
            $0 = Array("{/**/".utf8) + $0
        },
        headerBytes("jws-header-no-utf8", "a byte in the header that is not UTF-8") {
            $0.removeLast()
            $0 += Array(#","kid":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        },
        headerBytes("jws-header-cut", "the header without its last brace") { $0.removeLast() },
        headerBytes("jws-header-null", "the header is null") { $0 = Array("null".utf8) },
    ]

    /// Makes a variant with two members of the same name.
    private static func twice(
        _ id: String, _ summary: String, _ member: (name: String, value: String), isFirst: Bool
    ) -> HostileJWS {
        HostileJWS(id, summary) { $0.header.list.insert(member, at: isFirst ? 0 : $0.header.list.count) }
    }
}

extension JWSRecipe {
    /// Replaces the signature with the result of `make` for the signing input.
    mutating func editSigned(
        _ make: @escaping @Sendable (_ input: [UInt8]) throws(ForgeError) -> [UInt8]
    ) {
        editParts { parts throws(ForgeError) in
            let signature = try make(Array((parts[0] + "." + parts[1]).utf8))
            parts[2] = Base64.text(signature, urlSafe: true)
        }
    }

    /// Changes the three parts of the text.
    mutating func editParts(_ edit: @escaping ReceiptRecipe.Edit<[String]>) {
        editText = { text throws(ForgeError) in
            var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try edit(&parts)
            text = parts.joined(separator: ".")
        }
    }
}

extension Digest {
    /// Returns the HMAC (RFC 2104), for digests with 64-byte blocks.
    func hmac(_ bytes: [UInt8], key: [UInt8]) throws(ForgeError) -> [UInt8] {
        let short = key.count > 64 ? try hash(key) : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        return try hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + bytes))
    }
}
