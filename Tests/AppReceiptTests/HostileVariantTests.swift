import AppReceipt
import ReceiptForge
import Testing

/// Every attack in the forge's table, verified under the attack's own root.
struct HostileVariantTests {
    @Test(arguments: HostileVariant.all)
    func answers(variant: HostileVariant) throws {
        let forged = try variant.forge()
        let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
        #expect(variant.answers.map(\.rawValue).contains(verifier.answer(to: forged.bytes)))
    }

    /// Checks that no forged receipt is genuine under Apple's roots.
    @Test(arguments: HostileVariant.all)
    func isRefusedUnderApplesRoots(variant: HostileVariant) throws {
        let verifier = try ReceiptVerifier()
        #expect(verifier.answer(to: try variant.forge().bytes) != "genuine")
    }
}

extension ReceiptVerifier {
    /// Returns "genuine", or the code of the refusal.
    func answer(to bytes: [UInt8]) -> String {
        do throws(ReceiptError) {
            _ = try verify(bytes, for: .any)
            return "genuine"
        } catch {
            return error.code.rawValue
        }
    }
}
