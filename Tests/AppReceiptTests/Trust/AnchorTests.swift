import AppReceipt
import ReceiptForge
import Testing

struct AnchorTests {
    private let root: [UInt8]

    init() throws { root = try Authority.test().root.certificate.der }

    /// Checks that a root with an unknown key algorithm is reported as a fault of the root, not of OpenSSL.
    @Test
    func refusesUnknownKeys() throws {
        // rsaEncryption, 1.2.840.113549.1.1.1, as encoded before the key.
        let known: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let place = try #require(root.indices.first { root[$0...].starts(with: known) })
        var unknown = root
        unknown[place + 8] = 0x7F
        let error = #expect(throws: ReceiptError.self) { try ReceiptVerifier(anchors: .custom(unknown)) }
        #expect(error?.reason == .certificateKey)
    }

    @Test
    func listsCertificates() throws {
        let storeKit = try Authority.storeKitTest()
        let der = storeKit.root.certificate.der
        #expect(TrustAnchors.custom(root).adding(storeKitTest: der).certificates == [root, der])
        #expect(TrustAnchors.apple.certificates.count == 3)
    }

    /// Checks that with only a StoreKit Test anchor nothing else is trusted.
    @Test
    func storeKitTestAlone() throws {
        let storeKit = try Authority.storeKitTest()
        let verifier = try ReceiptVerifier(anchors: .storeKitTest(storeKit.root.certificate.der))
        let own = try ReceiptRecipe(.xcode(), authority: storeKit).forge().bytes
        #expect(verifier.answer(to: own) == "genuine")
        #expect(verifier.answer(to: try ReceiptRecipe(authority: .test()).forge().bytes) == "untrusted_chain")
    }

    /// Checks that long names are truncated at a character boundary.
    @Test
    func shortensLongNames() throws {
        for prefix in ["", "x"] {
            let authority = try Authority.test {
                $0.leaf.subject = DistinguishedName(
                    commonName: prefix + String(repeating: "é", count: 1500), organization: "Forge",
                    country: "US")
            }
            let verifier = try ReceiptVerifier(anchors: .custom(root))
            let receipt = try verifier.verify(ReceiptRecipe(authority: authority).forge().bytes, for: .any)
            let subject = try #require(receipt.certificates.first).subject
            #expect(subject.utf8.count <= 1023)
            #expect(subject.utf8.count >= 1022)
            #expect(!subject.contains("\u{FFFD}"))
        }
    }
}
