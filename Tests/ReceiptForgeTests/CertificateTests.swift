import ReceiptForge
import TestSupport
import Testing

@Suite("OpenSSL's command line accepts certificates and keys")
struct CertificateTests {
    /// Returns the output of `openssl x509 -text`.
    private func text(_ der: [UInt8]) throws -> String {
        let answer = try OpenSSLTool.run(
            ["x509", "-inform", "DER", "-in", "c.der", "-noout", "-text"], files: ["c.der": der])
        #expect(answer.status == 0, "\(answer.messages)")
        return answer.output
    }

    @Test("the default authority has Apple's extensions and its own name")
    func authority() throws {
        let authority = try Authority.test()
        let leaf = try text(authority.leaf.certificate.der)
        #expect(leaf.contains("CN = \"Receipt Forge Test Receipt Signing, not Apple\""))
        #expect(leaf.contains("CA:FALSE"))
        #expect(leaf.contains("1.2.840.113635.100.6.11.1"))
        #expect(leaf.contains("Digital Signature"))
        #expect(leaf.contains("sha256WithRSAEncryption"))
        #expect(leaf.contains("Not Before: Jan  1 00:00:00 2010 GMT"))
        #expect(leaf.contains("Not After : Jan  1 00:00:00 2040 GMT"))
        let intermediate = try text(#require(authority.intermediate).certificate.der)
        #expect(intermediate.contains("CA:TRUE, pathlen:0"))
        #expect(intermediate.contains("1.2.840.113635.100.6.2.1"))
        #expect(intermediate.contains("Certificate Sign, CRL Sign"))
        #expect(try text(authority.root.certificate.der).contains("not Apple"))
    }

    @Test("OpenSSL reads every extension")
    func extensions() throws {
        let name = DistinguishedName(commonName: "Test", organization: "Example", country: "US")
        let certificate = try Authority.test { profiles throws(ForgeError) in
            profiles.leaf.subject = name
            profiles.leaf.serialNumber = [0, 0xC0, 0xFF, 0xEE]
            profiles.leaf.notAfter = "2055-06-07T08:09:10Z"
            profiles.leaf[CertificateExtension.keyUsageOID] = .keyUsage([.keyEncipherment, .cRLSign])
            profiles.leaf.extensions += [
                .extendedKeyUsage([[1, 3, 6, 1, 5, 5, 7, 3, 3]]), .certificatePolicies([[1, 3, 9, 9]]),
                .nameConstraints(permitted: [name], excluded: [name]),
                CertificateExtension([1, 3, 9, 8], critical: true, value: BER.null),
            ]
        }.leaf.certificate
        let text = try text(certificate.der)
        for part in [
            "Subject: CN = Test, O = Example, C = US", "c0ffee", "Jun  7 08:09:10 2055",
            "Key Encipherment, CRL Sign", "Code Signing", "Policy: 1.3.9.9", "1.3.9.8: critical",
            "Permitted:",
            "Excluded:", "DirName:CN = Test, O = Example, C = US",
        ] {
            #expect(
                text.replacing("c0:ff:ee", with: "c0ffee").lowercased().contains(part.lowercased()), "\(part)"
            )
        }
    }

    @Test("keys survive export and import")
    func keys() throws {
        for key in [
            try PrivateKey.generateRSA(bits: 1_024, exponent: 3), try .generateEC(.p256),
            try .generateEC(.p384),
        ] {
            #expect(try PrivateKey(pem: key.pem()).subjectPublicKeyInfo == key.subjectPublicKeyInfo)
            #expect(try PrivateKey(importing: key.pkcs8()).subjectPublicKeyInfo == key.subjectPublicKeyInfo)
            let answer = try OpenSSLTool.run(
                ["pkey", "-in", "key.pem", "-noout", "-text"], files: ["key.pem": Array(key.pem().utf8)])
            #expect(answer.output.contains("(\(key.bits) bit"))
            #expect(answer.output.contains("publicExponent: 3 ") == key.isRSA)
        }
        #expect(throws: ForgeError.self) { try PrivateKey(importing: [1, 2, 3]) }
        #expect(throws: ForgeError.self) { try PrivateKey(importing: []) }
        #expect(throws: ForgeError.self) { try PrivateKey.generateRSA(bits: 2_048, exponent: 4) }
    }

    @Test("signatures of every kind verify", arguments: Digest.allCases, [SignatureScheme.pkcs1, .pss])
    func signatures(digest: Digest, scheme: SignatureScheme) throws {
        let message = Array("the quick brown fox".utf8)
        for key in [try Authority.test().leaf.key, try .generateEC()] {
            let options =
                key.isRSA && scheme == .pss
                ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:0"] : []
            let answer = try OpenSSLTool.run(
                ["dgst", "-\(digest.rawValue)", "-prverify", "key.pem", "-signature", "s"] + options + ["m"],
                files: [
                    "key.pem": Array(key.pem().utf8), "m": message,
                    "s": key.sign(message, digest: digest, scheme: scheme),
                ])
            #expect(answer.status == 0, "\(answer.messages)")
        }
    }

    @Test("digests", arguments: Digest.allCases)
    func digests(digest: Digest) throws {
        let answer = try OpenSSLTool.run(
            ["dgst", "-\(digest.rawValue)", "-binary", "m"], files: ["m": Array("abc".utf8)])
        #expect(try answer.bytes == digest.hash(Array("abc".utf8)))
    }
}
