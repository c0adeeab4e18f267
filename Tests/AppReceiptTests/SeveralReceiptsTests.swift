import AppReceipt
import ReceiptForge
import Testing

/// Receipts that are verified in one call. Processors without AVX-512 IFMA check their signatures one by one.
struct SeveralReceiptsTests {
    /// Attacks, harmless changes and genuine receipts of several keys and sizes, and roots for all.
    private struct Pool {
        let inputs: [[UInt8]]
        let anchors: TrustAnchors
        /// The results of single calls.
        let expected: [String]

        static let shared = Result { try Pool() }

        init() throws {
            var random = SplitMix64(seed: 34)
            var forged = try HostileVariant.all.map { try $0.forge() }
            for bits in [2_048, 3_072, 4_096] {
                let authority = try Authority.test { profiles throws(ForgeError) in
                    profiles.leaf.key = try .generateRSA(bits: bits)
                }
                for digest in [ReceiptForge.Digest.sha1, .sha256] {
                    var recipe = ReceiptRecipe(.random(using: &random), authority: authority)
                    recipe.digest = digest
                    forged.append(try recipe.forge())
                    recipe.editContainer { $0.signerInfos[0].signature[7] ^= 1 }
                    forged.append(try recipe.forge())
                }
            }
            for _ in forged.indices {
                forged.append(try ReceiptRecipe(.random(using: &random), authority: .test()).forge())
            }
            inputs = forged.map(\.bytes)
            anchors = Set(forged.map(\.anchor)).sorted { $0.lexicographicallyPrecedes($1) }
                .reduce(.apple) { $0.adding(root: $1) }
            let alone = try ReceiptVerifier(anchors: anchors, checksSignaturesTogether: false)
            expected = inputs.map { input in
                text(Result { () throws(ReceiptError) in try alone.verify(input, for: policy) })
            }
        }
    }

    private static let policy = VerificationPolicy.app("com.example.forge", .anyEnvironment)

    private static func text(_ result: Result<VerifiedReceipt, ReceiptError>) -> String {
        switch result {
        case .success(let receipt):
            "\(receipt.payload) \((try? receipt.contentDigest) ?? []) \(receipt.leniencies)"
        case .failure(let refusal): "\(refusal) \(refusal.offset ?? -1) \(refusal.field ?? "")"
        }
    }

    /// Checks that the results do not depend on the number of inputs.
    @Test(arguments: [
        // Too few to check signatures together.
        1, 2,
        // Less than a processor can check at once, as many, and one more.
        3, 7, 8, 9,
        // As many as are in memory at a time, one more, and several times as many.
        16, 17, 100,
    ])
    func resultsAreThoseOfSingleCalls(size: Int) throws {
        let pool = try Self.Pool.shared.get()
        let verifier = try ReceiptVerifier(anchors: pool.anchors)
        var random = SplitMix64(seed: UInt64(size))
        var order = pool.inputs.indices.shuffled(using: &random)
        var different: [Int] = []
        while !order.isEmpty {
            let group = order.suffix(size)
            order.removeLast(group.count)
            let results = verifier.verify(each: group.map { pool.inputs[$0] }, for: Self.policy)
            for (index, result) in zip(group, results) where Self.text(result) != pool.expected[index] {
                different.append(index)
            }
        }
        #expect(different == [])
    }

    /// Checks that only the valid signatures of a group are proven. A processor that cannot prove any proves
    /// none.
    @Test(arguments: 0..<9)
    func everyOtherSignatureIsProven(changed: Int) throws {
        let recipe = ReceiptRecipe(ReceiptContent(), authority: try .test())
        var other = recipe
        other.editContainer { $0.signerInfos[0].signature[200] ^= 4 }
        let genuine = try recipe.forge()
        var containers = Array(repeating: genuine.bytes, count: 11)
        containers[changed] = try other.forge().bytes
        let verifier = try ReceiptVerifier(anchors: .custom(genuine.anchor))
        let pending = containers.map { PendingReceipt($0, by: verifier, for: .any) }
        PendingReceipt.proveSignatures(of: pending)
        #expect(
            pending.map(\.hasProvenSignature)
                == containers.indices.map { $0 != changed && verifier.checksSignaturesTogether })
        let refused = verifier.verify(each: containers, for: .any).enumerated().filter { _, result in
            guard case .failure(let refusal) = result else { return false }
            return refusal.code == .badSignature
        }
        #expect(refused.map(\.offset) == [changed])
    }

    @Test
    func noInputHasNoResult() throws {
        #expect(try ReceiptVerifier().verify(each: [], for: .any).isEmpty)
    }
}
