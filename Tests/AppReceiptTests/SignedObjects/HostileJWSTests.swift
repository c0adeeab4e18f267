import AppReceipt
import ReceiptForge
import Testing

/// Every JWS attack in the forge's table, verified under the attack's own root.
struct HostileJWSTests {
    private static let policy = VerificationPolicy.app("com.example.app", .sandbox)

    @Test(arguments: HostileJWS.all)
    func answers(variant: HostileJWS) throws {
        let forged = try variant.forge()
        let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
        func answer(_ verify: () throws(ReceiptError) -> VerifiedObject) -> String {
            do throws(ReceiptError) {
                _ = try verify()
                return "genuine"
            } catch {
                return error.code.rawValue
            }
        }
        // Twice, and once after a genuine JWS, so that a cache cannot affect the result.
        let genuine = try HostileJWS.named("jws-valid").forge()
        for _ in 0..<2 {
            #expect(
                answer { () throws(ReceiptError) in try verifier.verify(jws: forged.text, for: Self.policy)
                }
                    == variant.expected.rawValue)
            _ = try? verifier.verify(jws: genuine.text, for: Self.policy)
        }
        // The same result as file content, except for text that is not a JWS at all.
        let anything = answer { () throws(ReceiptError) in
            try verifier.verify(signedObject: Array(forged.text.utf8), for: Self.policy)
        }
        #expect(variant.answers.map(\.rawValue).contains(anything))
    }

    /// Checks that no forged JWS is genuine under Apple's roots.
    @Test(arguments: HostileJWS.all)
    func isRefusedUnderApplesRoots(variant: HostileJWS) throws {
        let forged = try variant.forge()
        let verifier = try ReceiptVerifier()
        #expect(throws: ReceiptError.self) { try verifier.verify(jws: forged.text, for: .any) }
    }
}
