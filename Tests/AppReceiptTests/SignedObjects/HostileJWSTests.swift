import AppReceipt
import ReceiptForge
import Testing

/// Every attack on JWS that the forge knows, judged under the root that comes with it.
struct HostileJWSTests {
    private static let audience = ReceiptAudience.app("com.example.app", .sandbox)

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
        // Twice, then behind a genuine one: no cache may show.
        let genuine = try HostileJWS.named("jws-valid").forge()
        for _ in 0..<2 {
            #expect(
                answer { () throws(ReceiptError) in try verifier.verify(jws: forged.text, for: Self.audience)
                }
                    == variant.expected.rawValue)
            _ = try? verifier.verify(jws: genuine.text, for: Self.audience)
        }
        // As a file's content the same, but for what is no JWS at all there.
        let anything = answer { () throws(ReceiptError) in
            try verifier.verify(anything: Array(forged.text.utf8), for: Self.audience)
        }
        #expect(variant.answers.map(\.rawValue).contains(anything))
    }

    /// Nothing that the forge makes has anything to do with Apple's roots.
    @Test(arguments: HostileJWS.all)
    func isNeverApples(variant: HostileJWS) throws {
        let forged = try variant.forge()
        let verifier = try ReceiptVerifier()
        #expect(throws: ReceiptError.self) { try verifier.verify(jws: forged.text, for: .anyApp) }
    }
}
