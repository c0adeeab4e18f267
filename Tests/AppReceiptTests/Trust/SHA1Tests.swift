import ReceiptForge
import Testing

@testable import AppReceipt

struct SHA1Tests {
    /// Checks the policies on SHA-1. Apple's last certificate that signed receipts with SHA-1 expired on
    /// 2025-01-24, like WWDR G8.
    @Test(
        arguments: [
            // trust anchor kind, end of the signer's validity, policies that accept SHA-1
            (.appStore, "2025-01-24T00:00:00Z", [.untilAppleStopped, .until2025, .all]),
            (.appStore, "2025-01-24T00:00:01Z", [.all]),
            (.custom, "2025-01-24T00:00:00Z", [.untilAppleStopped, .until2025, .all]),
            (.custom, "2025-01-24T00:00:01Z", [.untilAppleStopped, .all]),
        ] as [(TrustAnchorKind, String, [SHA1Signatures])])
    func sha1EndsWithApplesLastCertificate(realm: TrustAnchorKind, notAfter: String, taken: [SHA1Signatures])
        throws
    {
        let authority = try Authority.test { $0.leaf.notAfter = notAfter }
        var recipe = ReceiptRecipe(authority: authority)
        recipe.content.creationDate = "2022-06-01T00:00:00Z"
        let sha256 = try recipe.forge().bytes
        recipe.digest = .sha1
        let sha1 = try recipe.forge().bytes
        let anchors = TrustAnchors(anchors: [.init(der: authority.root.certificate.der, realm: realm)])
        for signatures in SHA1Signatures.allCases {
            let verifier = try ReceiptVerifier(anchors: anchors, sha1Signatures: signatures)
            #expect(verifier.answer(to: sha256) == "genuine")
            for _ in 0..<2 {
                let answer = verifier.answer(to: sha1)
                #expect(answer == (taken.contains(signatures) ? "genuine" : "bad_signature"), "\(signatures)")
            }
        }
    }

    @Test
    func refusalNamesTheCertificate() throws {
        let authority = try Authority.test()
        var recipe = ReceiptRecipe(authority: authority)
        recipe.digest = .sha1
        let verifier = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der), sha1Signatures: .until2025)
        let bytes = try recipe.forge().bytes
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(bytes, for: .any) }
        #expect(error?.reason == .sha1(notAfter: try #require(Timestamp(rfc3339: "2040-01-01T00:00:00Z"))))
        #expect(error?.field == "signerInfos[0].digestAlgorithm")
        #expect(error?.certificate?.subject.contains("Receipt Signing") == true)
    }
}
