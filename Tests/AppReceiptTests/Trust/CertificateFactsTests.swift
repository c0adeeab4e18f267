import ReceiptForge
import Testing

@testable import AppReceipt

/// The package's own certificate parser. Certificates without a trusted signature never reach OpenSSL's
/// decoders.
struct CertificateFactsTests {
    private static let algorithm = BER.sequence(([1, 2, 840, 113549, 1, 1, 11] as OID).encoded, BER.null)

    /// Returns a certificate-shaped structure without a key.
    private func shaped(
        subject: [UInt8], issuer: [UInt8] = BER.sequence(), serialNumber: [UInt8] = [1],
        validity: [UInt8] = BER.sequence()
    ) -> [UInt8] {
        let tbs = BER.sequence(
            BER.element(BER.Tag.integer, serialNumber), Self.algorithm, issuer, validity, subject)
        return BER.sequence(tbs, Self.algorithm, BER.bitString([1]))
    }

    private func facts(
        subject: [UInt8] = BER.sequence(), serialNumber: [UInt8] = [1], validity: [UInt8] = BER.sequence()
    ) throws -> CertificateFacts {
        let der = shaped(subject: subject, serialNumber: serialNumber, validity: validity)
        return try #require(CertificateFacts(der: der, in: CryptoContext()))
    }

    /// Checks that the error describes an unsigned certificate that OpenSSL could not decode.
    @Test(arguments: [true, false])
    func unsignedCertificateIsDescribed(isIntermediate: Bool) throws {
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate).certificate
        let issuer = isIntermediate ? authority.root.certificate.subject : intermediate.subject
        let subject = isIntermediate ? intermediate.subject : DistinguishedName(commonName: "Nobody")
        let junk = shaped(subject: subject.encoded, issuer: issuer.encoded, serialNumber: [0x4A])
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { container in
            container.certificates?[isIntermediate ? 1 : 0] = junk
            if isIntermediate { return }
            container.signerInfos[0].sid = BER.sequence(
                issuer.encoded, BER.element(BER.Tag.integer, [0x4A]))
        }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let bytes = try recipe.forge().bytes
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(bytes, for: .any) }
        #expect(error?.code == .untrustedChain)
        let certificate = try #require(error?.certificate)
        #expect(certificate.serialNumber == "4a")
        #expect(certificate.subject == NameText.text(of: subject.encoded.indices, in: subject.encoded.span))
        #expect(certificate.sha256 == (try Digest.sha256.hash(junk)))
    }

    // MARK: - Names

    private static func name(_ attributes: (type: OID, value: [UInt8])...) -> [UInt8] {
        BER.element(
            BER.Tag.sequence, attributes.flatMap { BER.set(of: [BER.sequence($0.type.encoded, $0.value)]) })
    }

    private static func commonName(_ text: String, tag: UInt8 = BER.Tag.utf8String) -> [UInt8] {
        name(([2, 5, 4, 3], BER.element(tag, Array(text.utf8))))
    }

    @Test(
        arguments: [
            (BER.sequence(), ""),
            (commonName("Plain"), "CN=Plain"),
            // RFC 4514, 2.4
            (commonName(#" #a,b+c"d\e<f>g;h= "#), #"CN=\ #a\,b\+c\"d\\e\<f\>g\;h=\ "#),
            (commonName("#a"), ##"CN=\#a"##), (commonName(" "), #"CN=\ "#), (commonName("#"), ##"CN=\#"##),
            // Control characters, including those of ISO 6429's C1 set
            (commonName("a\0\n\u{1B}\u{7F}\u{9B}z"), #"CN=a\00\0A\1B\7F\C2\9Bz"#),
            (commonName("naïve", tag: BER.Tag.utf8String), "CN=naïve"),
            // Invalid UTF-8 is shown as bytes.
            (name(([2, 5, 4, 3], BER.element(BER.Tag.utf8String, [0xFF, 0x41]))), "CN=#0C02FF41"),
            // T61String, BMPString, UniversalString, and truncated characters
            (name(([2, 5, 4, 3], BER.element(0x14, [0x6E, 0xEF]))), "CN=nï"),
            (name(([2, 5, 4, 3], BER.element(0x1E, [0x00, 0x6E, 0x20, 0xAC]))), "CN=n€"),
            (name(([2, 5, 4, 3], BER.element(0x1E, [0xD8, 0x00]))), "CN=#1E02D800"),
            (name(([2, 5, 4, 3], BER.element(0x1E, [0x00]))), "CN=#1E0100"),
            (name(([2, 5, 4, 3], BER.element(0x1C, [0, 1, 0xF6, 0]))), "CN=😀"),
            // Other value types, and attribute types without a name
            (name(([2, 5, 4, 3], BER.integer(5))), "CN=#020105"),
            (name(([1, 3, 9, 9], BER.element(BER.Tag.utf8String, [0x41]))), "1.3.9.9=#0C0141"),
            (
                name(
                    ([2, 5, 4, 6], BER.element(BER.Tag.printableString, Array("US".utf8))),
                    ([2, 5, 4, 11], BER.element(BER.Tag.utf8String, Array("G5".utf8))),
                    (
                        [0, 9, 2342, 19_200_300, 100, 1, 25],
                        BER.element(BER.Tag.ia5String, Array("com".utf8))
                    ),
                    ([1, 2, 840, 113549, 1, 9, 1], BER.element(BER.Tag.ia5String, Array("a@b".utf8)))),
                "C=US,OU=G5,DC=com,emailAddress=a@b"
            ),
            // Two attributes in one relative name
            (
                BER.sequence(
                    BER.set(of: [
                        BER.sequence(([2, 5, 4, 3] as OID).encoded, BER.element(BER.Tag.utf8String, [0x41])),
                        BER.sequence(
                            ([2, 5, 4, 10] as OID).encoded, BER.element(BER.Tag.utf8String, [0x42])),
                    ])), "CN=A+O=B"
            ),
            // Invalid names
            (BER.octetString([1]), "unreadable"), (BER.sequence(BER.sequence()), "unreadable"),
            (BER.sequence(BER.element(BER.Tag.set, [])), "unreadable"),
            (BER.sequence(BER.set(of: [BER.sequence(BER.null)])), "unreadable"),
        ] as [([UInt8], String)])
    func names(name: [UInt8], text: String) throws {
        #expect(try facts(subject: name).subject == text)
    }

    @Test
    func longNamesAreShortened() throws {
        for text in [String(repeating: "é", count: 3000), "x" + String(repeating: "é", count: 3000)] {
            let subject = try facts(subject: Self.commonName(text)).subject
            #expect((1022...1023).contains(subject.utf8.count))
            #expect(!subject.contains("\u{FFFD}"))
        }
        #expect(
            try facts(subject: Self.commonName(String(repeating: "x", count: 1020))).subject.count == 1023)
    }

    // MARK: - Numbers and times

    @Test(
        arguments: [
            ([0x00], "00"), ([0x01], "01"), ([0x00, 0xFF], "ff"), ([0x7F, 0x00], "7f00"),
            ([0xFF], "-01"), ([0x80], "-80"), ([0xFF, 0x00], "-0100"), ([0xFE, 0xFF], "-0101"), ([], ""),
        ] as [([UInt8], String)])
    func serialNumbers(content: [UInt8], text: String) throws {
        #expect(try facts(serialNumber: content).serialNumber == text)
    }

    /// Checks times by RFC 5280, 4.1.2.5.
    @Test(
        arguments: [
            (0x17, "230131235959Z", "2023-01-31T23:59:59Z"), (0x17, "491231235959Z", "2049-12-31T23:59:59Z"),
            (0x17, "500101000000Z", "1950-01-01T00:00:00Z"),
            (0x18, "20500101000000Z", "2050-01-01T00:00:00Z"),
            (0x18, "00010101000000Z", "0001-01-01T00:00:00Z"),
            // No seconds, a zone, a fraction, an impossible day, the other type's length, no date
            (0x17, "2301312359Z", nil), (0x17, "230131235959+0100", nil), (0x18, "20230131235959.5Z", nil),
            (0x17, "230229000000Z", nil), (0x17, "20230131235959Z", nil), (0x18, "230131235959Z", nil),
            (0x17, "", nil), (0x18, "2023-1-31T2359Z", nil),
        ] as [(UInt8, String, String?)])
    func times(tag: UInt8, text: String, instant: String?) throws {
        let time = BER.element(tag, Array(text.utf8))
        let facts = try facts(validity: BER.sequence(time, time))
        #expect(
            facts.notBefore == instant.flatMap { Timestamp(rfc3339: $0) }
                ?? Timestamp(millisecondsSince1970: .max))
        #expect(
            facts.notAfter == instant.flatMap { Timestamp(rfc3339: $0) }
                ?? Timestamp(millisecondsSince1970: .min))
    }
}
