import AppReceipt
import ReceiptForge
import Testing

/// Refusals of JWS with the field at fault. Each row differs from a genuine JWS in one detail.
struct JWSTests {
    static let authority = known { () throws(ForgeError) in try Authority.appStoreJWS() }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        let field: String?
        let edit: @Sendable (inout JWSRecipe) throws -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ code: String, _ field: String?,
            _ edit: @escaping @Sendable (inout JWSRecipe) throws -> Void
        ) {
            (self.name, self.code, self.field, self.edit) = (name, code, field, edit)
        }

        /// Returns a row with one changed member of the payload.
        static func payload(_ member: String, _ value: String?, _ field: String? = nil) -> Row {
            Row("\(member) is \(value ?? "absent")", "malformed", field ?? "payload.\(member)") {
                $0.payload[member] = value
            }
        }

        /// Returns a row with one changed member of the header.
        static func header(_ member: String, _ value: String?, _ field: String) -> Row {
            Row("header: \(member) is \(value ?? "absent")", "malformed", field) { $0.header[member] = value }
        }
    }

    static let rows: [Row] = [
        // RFC 7515, 7.1: three parts, base64url, no padding, no white space, no nonzero unused bits.
        Row("two parts", "malformed", nil) {
            $0.editText = { $0 = $0.split(separator: ".")[..<2].joined(separator: ".") }
        },
        Row("four parts", "malformed", nil) { $0.editText = { $0 += ".AA" } },
        Row("a period at the end", "malformed", nil) { $0.editText = { $0 += "." } },
        Row("padding", "malformed", "signature") { $0.editText = { $0 += "==" } },
        Row("a space at the end", "malformed", "signature") { $0.editText = { $0 += " " } },
        Row("the other alphabet", "malformed", "payload") {
            $0.editText = { $0.replaceFirst(of: ".eyJ", with: ".+yJ") }
        },
        Row("nonzero unused bits after the signature", "malformed", "signature") {
            $0.editText = {
                $0.removeLast(); $0 += "B"
            }
        },
        Row("63 bytes", "malformed", "signature") { $0.editSignature = { $0.removeLast() } },
        Row("65 bytes", "malformed", "signature") { $0.editSignature = { $0.append(0) } },
        Row("no signature", "malformed", "signature") { $0.editSignature = { $0 = [] } },

        // The header: a closed list.
        .header("alg", #""none""#, "header.alg"), .header("alg", #""ES384""#, "header.alg"),
        .header("alg", #""ES256 ""#, "header.alg"),
        // The same length as the genuine header.
        .header("alg", #""ES255""#, "header.alg"), .header("alg", nil, "header.alg"),
        .header("alg", "null", "header.alg"), .header("crit", "[]", "header.crit"),
        .header("jku", #""https://example.com""#, "header.jku"), .header("b64", "false", "header.b64"),
        .header("typ", #""JWS""#, "header.typ"), .header("kid", "1", "header.kid"),
        .header("x5c", nil, "header.x5c"), .header("x5c", "[]", "header.x5c"),
        .header("x5c", "{}", "header.x5c"),
        .header("x5c", #"["AAAA","AAAA","AAAA"]"#, "header.x5c[0]"), .header("x5c", "[1]", "header.x5c[0]"),
        Row("alg twice", "malformed", "header.alg") { $0.header.list.append(("alg", #""none""#)) },
        Row("two certificates", "malformed", "header.x5c") { $0.replaceCertificates { [$0[0], $0[1]] } },
        Row("four certificates", "malformed", "header.x5c") { $0.replaceCertificates { $0 + [$0[2]] } },
        Row("a certificate in base64url", "malformed", nil) {
            $0.header["x5c"] = $0.header["x5c"].map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        },

        // The chain.
        Row("the leaf three times", "untrusted_chain", "header.x5c[2]") {
            $0.replaceCertificates { [$0[0], $0[0], $0[0]] }
        },
        Row("another order", "untrusted_chain", "header.x5c[2]") {
            $0.replaceCertificates { [$0[0], $0[2], $0[1]] }
        },
        Row("leaf, leaf, root", "untrusted_chain", "header.x5c") {
            $0.replaceCertificates { [$0[0], $0[0], $0[2]] }
        },
        Row("one certificate, not of StoreKit Test", "untrusted_chain", "header.x5c[0]") {
            $0.replaceCertificates { [$0[2]] }
        },
        Row("another root", "untrusted_chain", "header.x5c[2]") {
            $0 = JWSRecipe($0.payload, authority: try .appStoreJWS())
        },
        Row("another root with the same name at the end", "untrusted_chain", "header.x5c[2]") {
            let other = JWSRecipe($0.payload, authority: try .appStoreJWS())
            let root = other.certificates[2]
            $0.replaceCertificates { [$0[0], $0[1], root] }
        },
        .init("signed by another key", "bad_signature", "signature") { $0.signer = try .generateEC() },
        .init("one flipped bit in r", "bad_signature", "signature") { $0.editSignature = { $0[0] ^= 1 } },
        .init("one flipped bit in s", "bad_signature", "signature") { $0.editSignature = { $0[63] ^= 1 } },
        .init("r is 0", "bad_signature", "signature") {
            $0.editSignature = { $0.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32)) }
        },
        .init("s is 0", "bad_signature", "signature") {
            $0.editSignature = { $0.replaceSubrange(32..., with: [UInt8](repeating: 0, count: 32)) }
        },
        .init("r is 2^256 - 1", "bad_signature", "signature") {
            $0.editSignature = { $0.replaceSubrange(0..<32, with: [UInt8](repeating: 255, count: 32)) }
        },
        .init("r and s swapped", "bad_signature", "signature") {
            $0.editSignature = { $0 = Array($0[32...] + $0[..<32]) }
        },

        // The dates of the chain, checked at signedDate with inclusive ends.
        .init("signed before the leaf", "untrusted_chain", "header.x5c") {
            $0.payload["signedDate"] = "1262303999999"
        },
        .init("signed after the leaf", "untrusted_chain", "header.x5c") {
            $0.payload["signedDate"] = "2208988801000"
        },

        // The payload: strict JSON with one value for each name.
        .init("bundleId twice", "malformed", "payload.bundleId") {
            $0.payload.list.append(("bundleId", #""x""#))
        },
        .init("the same name, escaped", "malformed", "payload.bundleId") {
            $0.payload.list.append(("bundle\\u0049d", #""x""#))
        },
        .init("an unknown member twice", "malformed", "payload.x") {
            $0.payload.list += [("x", "1"), ("x", "1")]
        },
        .init("a letter at the end", "malformed", "payload") { $0.editPayload = { $0.append(0x78) } },
        .init("a byte order mark", "malformed", "payload") {
            $0.editPayload = { $0 = [0xEF, 0xBB, 0xBF] + $0 }
        },
        .init("invalid UTF-8", "malformed", nil) {
            $0.payload["x"] = #""?""#; $0.editPayload = { $0[$0.count - 3] = 0xFF }
        },
        .init("an array", "malformed", "payload") { $0.editPayload = { $0 = Array("[]".utf8) } },
        .init("nothing", "malformed", "payload") { $0.editPayload = { $0 = [] } },
        .init("nested 65 levels deep", "too_large", nil) {
            $0.payload["x"] = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        },
        .payload("transactionId", nil, "payload"), .payload("autoRenewStatus", "1", "payload"),
        .payload("receiptType", #""Sandbox""#, "payload"),
        .payload("notificationType", #""TEST""#, "payload"), .payload("userLocale", #""en-US""#, "payload"),
        .payload("signedDate", nil), .payload("signedDate", #""1780308000123""#),
        .payload("signedDate", "1e12"),
        .payload("signedDate", "1780308000123.0"), .payload("purchaseDate", "-1"),
        .payload("purchaseDate", "1.5"),
        .payload("purchaseDate", "9223372036854775807"), .payload("expiresDate", "false"),
        .payload("revocationDate", "null"), .payload("bundleId", "null"), .payload("bundleId", "[]"),
        .payload("productId", "1"), .payload("transactionId", "2000000000000002"),
        .payload("quantity", #""1""#), .payload("quantity", "1.0"), .payload("quantity", "1e0"),
        .payload("quantity", "18446744073709551617"), .payload("isUpgraded", "1"), .payload("price", "9.99"),
        .payload("environment", "1"), .payload("offerType", "true"), .payload("commitmentInfo", #""x""#),
    ]

    @Test(arguments: rows)
    func isRefused(row: Row) throws {
        var recipe = JWSRecipe(authority: Self.authority)
        try row.edit(&recipe)
        let verifier = try ReceiptVerifier(anchors: .custom(Self.authority.root.certificate.der))
        let jws = try recipe.forge()
        // Twice, and once after a genuine JWS, so that a cache cannot affect the result.
        for genuine in [nil, nil, try JWSRecipe(authority: Self.authority).forge()] {
            if let genuine { #expect(throws: Never.self) { try verifier.verify(jws: genuine, for: .any) } }
            let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: .any) }
            #expect(error?.code.rawValue == row.code)
            if let field = row.field { #expect(error?.field == field) }
        }
    }

    /// Checks that the error for extra parts is about their number, not about a period in the signature.
    @Test(arguments: [".AA", "."])
    func partsAreCounted(more: String) throws {
        var recipe = JWSRecipe(authority: Self.authority)
        recipe.editText = { $0 += more }
        let verifier = try ReceiptVerifier(anchors: .custom(Self.authority.root.certificate.der))
        let jws = try recipe.forge()
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: .any) }
        #expect(error?.reason == .jws(.parts))
        #expect(error?.offset == jws.count - more.utf8.count)
    }

    /// Checks that documented header members and unknown payload members are accepted and kept.
    @Test(arguments: [
        ("typ", #""JWT""#, "", ""), ("kid", #""Apple_Xcode_Key""#, "", ""), ("", "", "unknown", "null"),
        ("", "", "unknown", #"{"bundleId":1}"#), ("", "", "status", #""text""#),
        ("", "", "environment", #""Staging""#),
        ("", "", "type", #""Membership""#), ("", "", "price", "9223372036854775807"),
    ])
    func isAccepted(header: String, headerValue: String, member: String, value: String) throws {
        var recipe = JWSRecipe(authority: Self.authority)
        if !header.isEmpty { recipe.header[header] = headerValue }
        if !member.isEmpty { recipe.payload[member] = value }
        let verifier = try ReceiptVerifier(anchors: .custom(Self.authority.root.certificate.der))
        let object = try verifier.verify(jws: recipe.forge(), for: .any)
        #expect(object.jws?.signed.json == Array(recipe.payload.text.utf8))
    }

    /// Checks that both s and n - s are accepted. Apple's signer also writes s above half of the order.
    @Test
    func bothFormsOfSAreAccepted() throws {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA,
            0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var recipe = JWSRecipe(authority: Self.authority)
        let verifier = try ReceiptVerifier(anchors: .custom(Self.authority.root.certificate.der))
        #expect(throws: Never.self) { try verifier.verify(jws: recipe.forge(), for: .any) }
        recipe.editSignature = { signature in
            var borrow = 0
            for index in (32..<64).reversed() {
                let digit = Int(order[index - 32]) - Int(signature[index]) - borrow
                borrow = digit < 0 ? 1 : 0
                signature[index] = UInt8(truncatingIfNeeded: digit)
            }
        }
        #expect(throws: Never.self) { try verifier.verify(jws: recipe.forge(), for: .any) }
    }
}

extension JWSRecipe {
    /// The certificates of x5c as JSON strings, with quotes.
    var certificates: [String] {
        (header["x5c"] ?? "").dropFirst().dropLast().split(separator: ",").map(String.init)
    }

    mutating func replaceCertificates(_ change: ([String]) -> [String]) {
        header["x5c"] = "[" + change(certificates).joined(separator: ",") + "]"
    }
}

extension String {
    mutating func replaceFirst(of text: String, with other: String) {
        guard let range = firstRange(of: text) else { return }
        replaceSubrange(range, with: other)
    }
}

/// Returns the value of a closure that tests depend on. Traps if it throws.
func known<Value, Failure>(_ make: () throws(Failure) -> Value) -> Value {
    do { return try make() } catch { fatalError("\(error)") }
}
