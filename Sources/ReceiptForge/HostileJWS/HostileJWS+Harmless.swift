// Unusual but genuine JWS. A verifier must accept them.
extension HostileJWS {
    static let harmless: [HostileJWS] = [
        HostileJWS("jws-valid", "nothing is wrong", .genuine) { _ in },
        HostileJWS("jws-app-transaction", "an app transaction", .genuine) { $0.payload = .appTransaction },
        HostileJWS("jws-notification", "a notification", .genuine) { $0.payload = .notification() },
        header("jws-typ", "typ is JWT, as in Xcode's", "typ", #""JWT""#, .genuine),
        header("jws-kid", "kid is a string, as in Xcode's", "kid", #""Apple_Xcode_Key""#, .genuine),
        HostileJWS("jws-header-reordered", "x5c before alg", .genuine) { $0.header.list.reverse() },
        HostileJWS("jws-header-spaced", "white space in the header", .genuine) { recipe in
            let members = recipe.header.list
            let text = members.map { "\t\"\($0.name)\" : \($0.value)" }.joined(separator: " ,\r\n")
            recipe.editHeader = { $0 = Array("{\n\(text)\n}\n".utf8) }
        },
        HostileJWS("jws-header-escaped", "escapes in the header, as Xcode writes slashes", .genuine) {
            $0.header["alg"] = #""\u0045S256""#
            $0.header["x5c"] = $0.header["x5c"]?.replacing("/", with: "\\/")
        },
        rs("jws-s-of-the-other-half", "n - s instead of s, an equally valid signature", .genuine) {
            $0.negateS()
        },
        profiles("jws-leaf-expired-since", "the leaf expired a second after signedDate", .genuine) {
            $0.leaf.notAfter = "2026-06-01T10:00:01Z"
        },
        profiles("jws-leaf-ends-with-the-date", "the leaf expires with the second of signedDate", .genuine) {
            $0.leaf.notAfter = "2026-06-01T10:00:00Z"
        },
        profiles(
            "jws-leaf-begins-with-the-date", "the leaf becomes valid in the second of signedDate", .genuine
        ) {
            $0.leaf.notBefore = "2026-06-01T10:00:00Z"
        },
        profiles("jws-no-key-identifiers", "no key identifiers in the certificates", .genuine) {
            $0.root.hasKeyIdentifiers = false
            $0.intermediate.hasKeyIdentifiers = false
            $0.leaf.hasKeyIdentifiers = false
        },
        profiles("jws-chain-of-p384", "root and intermediate with P-384 and SHA-384, like Apple's", .genuine)
        {
            profiles throws(ForgeError) in
            profiles.root.key = try TestKey.p384Root.key
            profiles.intermediate.key = try TestKey.p384Intermediate.key
            profiles.setDigest(.sha384)
        },
        added(
            "jws-unknown-member", "an unknown member", "futureMember", #"["x", null]"#,
            .genuine),
        added("jws-unknown-member-null", "an unknown member that is null", "futureMember", "null", .genuine),
        added(
            "jws-unknown-number", "an unknown member with a number beyond 64 bits", "futureMember",
            "123456789012345678901234567890.5e-400", .genuine),
        added(
            "jws-unknown-bundle-id-inside", "another bundleId inside an unknown member", "futureMember",
            #"{"bundleId":"com.example.other","environment":"Production"}"#, .genuine),
        added(
            "jws-unknown-name-of-case", "BundleId beside bundleId", "BundleId", #""com.example.other""#,
            .genuine),
        added(
            "jws-nul-escaped", "an escaped NUL in an unknown member", "futureMember", #""a\u0000b""#, .genuine
        ),
        added(
            "jws-nested-32", "an unknown member nested 32 levels deep", "futureMember", nested(32), .genuine),
        HostileJWS("jws-payload-reordered", "the members in reverse order", .genuine) {
            $0.payload.list.reverse()
        },
        HostileJWS("jws-payload-spaced", "white space in the payload", .genuine) { recipe in
            let text = recipe.payload.list.map { "\n\t\"\($0.name)\" : \($0.value)" }.joined(separator: " ,")
            recipe.editPayload = { $0 = Array(" {\(text)\r\n} \n".utf8) }
        },
        member(
            "jws-value-escaped", "the bundle id in escapes", "bundleId",
            #""\u0063\u006f\u006d.example.app""#, .genuine),
        HostileJWS("jws-name-escaped", "the name bundleId in escapes", .genuine) { recipe in
            let value = recipe.payload["bundleId"] ?? "null"
            recipe.payload["bundleId"] = nil
            recipe.payload.list.append((#"bundle\u0049d"#, value))
        },
        member(
            "jws-surrogates", "a pair of surrogates and its character", "appAccountToken",
            #""\uD83D\uDE00😀""#, .genuine),
        member("jws-price-of-63-bits", "the largest price", "price", "9223372036854775807", .genuine),
        member("jws-type-unknown", "an unknown type", "type", #""Membership""#, .genuine),
        member("jws-offer-type-unknown", "an unknown offer type", "offerType", "99", .genuine),
    ]

    /// Returns nested JSON arrays of this depth.
    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}

/// The order n of P-256 (FIPS 186-5, SP 800-186), big-endian.
let orderOfP256: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC,
    0xE6,
    0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
]

extension [UInt8] {
    /// Replaces s with n - s in a signature that consists of r and s.
    mutating func negateS() {
        guard count == 64 else { return }
        var borrow = 0
        for index in (32..<64).reversed() {
            let digit = Int(orderOfP256[index - 32]) - Int(self[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            self[index] = UInt8(truncatingIfNeeded: digit)
        }
    }
}
