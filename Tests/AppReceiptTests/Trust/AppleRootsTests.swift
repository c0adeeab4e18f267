import Testing

@testable import AppReceipt

/// The embedded certificates are Apple's. The digests are published with the measurements of the format.
struct AppleRootsTests {
    @Test(arguments: [
        ("Apple Inc. Root", "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"),
        ("Apple Root CA - G2", "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"),
        ("Apple Root CA - G3", "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"),
    ])
    func digests(name: String, sha256: String) throws {
        let root = try #require(AppleCertificate.roots.first { $0.name == name })
        #expect(try ReceiptVerifier().sha256(of: root.der)?.hexadecimal == sha256)
    }

    /// Checks the intermediates that transaction receipts do not contain, and the elliptic one.
    @Test(arguments: [
        (AppleCertificate.iTunesStore, "447ad65484610f20fdc33804c8597a1e208fbe4ef9c5653485cc7d3df730c016"),
        // WWDR of 2013, G5, G7 and G8
        (.developerRelations[0], "ce057691d730f89ca25e916f7335f4c8a15713dcd273a658c024023f8eb809c2"),
        (.developerRelations[1], "53fd008278e5a595fe1e908ae9c5e5675f26243264a5a6438c023e3ce2870760"),
        (.developerRelations[2], "0f570d7502373a2102e2106faaa8fa4844944a07ee676198484f4d6ce15bea47"),
        (.developerRelations[3], "29901badea37c9f300ce9869956beeb001d7e71bffb2e2d9533e132a4e87e6bd"),
        (.developerRelationsG6, "bdd4ed6e74691f0c2bfd01be0296197af1379e0418e2d300efa9c3bef642ca30"),
    ])
    func intermediates(intermediate: AppleCertificate, sha256: String) throws {
        #expect(try ReceiptVerifier().sha256(of: intermediate.der)?.hexadecimal == sha256)
    }

    /// Checks the signature of Root CA - G3 on WWDR G6, which the verifier does not check at run time. As a
    /// signer, G6 has the wrong purpose, which the verifier reports only after a valid signature.
    @Test(arguments: [(false, .wrongPurpose), (true, .untrustedChain)] as [(Bool, ReceiptError.Code)])
    func g6IsSignedByG3(isChanged: Bool, code: ReceiptError.Code) throws {
        var g6 = AppleCertificate.developerRelationsG6.der
        if isChanged { g6[g6.count - 1] ^= 1 }
        let store = try AnchorStore(.custom(AppleCertificate.roots[2].der), context: CryptoContext())
        let signer = try #require(Certificate(der: g6))
        let date = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        let error = #expect(throws: ReceiptError.self) {
            try store.chain(signer: signer, candidates: [], of: g6.span, at: date)
        }
        #expect(error?.code == code)
    }

    @Test
    func thereAreThreeRoots() { #expect(AppleCertificate.roots.count == 3) }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
