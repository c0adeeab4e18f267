import AppReceipt
import ReceiptForge
import Testing

/// Receipts with systematic and random damage.
struct MutationTests {
    /// A small receipt, so that every bit can be tested.
    static let small = Result {
        var content = ReceiptContent(purchases: [])
        content.otherAttributes = []
        content.originalPurchaseDate = nil
        content.originalApplicationVersion = nil
        var recipe = ReceiptRecipe(content, authority: try .test())
        recipe.editContainer { $0.certificates?.removeLast() }
        return try recipe.forge()
    }

    /// A verifier, a cross-checking verifier, and the signed content.
    private struct Bench {
        let receipt: ForgedReceipt
        let verifier: ReceiptVerifier
        let crossChecking: ReceiptVerifier
        let signed: [UInt8]

        init() throws {
            receipt = try small.get()
            verifier = try ReceiptVerifier(anchors: .custom(receipt.anchor))
            crossChecking = try ReceiptVerifier(anchors: .custom(receipt.anchor), isCrossChecking: true)
            signed = try crossChecking.verify(receipt.bytes, for: .any).payload.bytes
        }

        /// Returns whether the bytes are refused, or read as the signed content with OpenSSL's agreement.
        func isHarmless(_ bytes: [UInt8]) -> Bool {
            guard let read = try? verifier.verify(bytes, for: .any).payload.bytes else { return true }
            guard read == signed else { return false }
            return (try? crossChecking.verify(bytes, for: .any).payload.bytes) == signed
        }
    }

    /// Checks every bit flip, one bit position at a time, so that the tests run in parallel.
    @Test(arguments: 0..<8)
    func everyBitFlipIsHarmless(bit: Int) throws {
        let bench = try Bench()
        var bytes = bench.receipt.bytes
        for index in bytes.indices {
            bytes[index] ^= 1 << bit
            let isHarmless = bench.isHarmless(bytes)
            #expect(isHarmless, "bit \(bit) of byte \(index)")
            bytes[index] ^= 1 << bit
        }
    }

    @Test
    func everyTruncationIsRefused() throws {
        let bench = try Bench()
        for count in 0..<bench.receipt.bytes.count {
            let code = bench.verifier.answer(to: Array(bench.receipt.bytes.prefix(count)))
            #expect(code == "malformed", "\(count) bytes")
        }
    }

    /// Checks 100,000 mutants of receipts of different shapes from fixed seeds: no trap, and no mutant with
    /// other content is genuine.
    @Test(arguments: 0..<8)
    func noMutantIsGenuine(seed: UInt64) throws {
        let bases = try ["valid", "ber-form", "signed-attributes", "digest-sha1", "unknown-attributes"].map {
            try HostileVariant.named($0).forge()
        }
        let verifier = try ReceiptVerifier(anchors: .custom(bases[0].anchor))
        let signed = try bases.map { try verifier.verify($0.bytes, for: .any).payload.bytes }
        var random = SplitMix64(seed: seed)
        for _ in 0..<12_500 {
            let index = Int(random.next() % UInt64(bases.count))
            let mutant = mutated(bases[index].bytes, &random)
            if let read = try? verifier.verify(mutant, for: .any).payload.bytes {
                #expect(read == signed[index])
            }
            // Parsing without verification must not trap either.
            _ = try? UnverifiedReceipt(parsing: mutant)
        }
    }

    /// Applies one to four random edits: bits, bytes, lengths, and ranges removed, duplicated or moved.
    private func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }
        for _ in 0...below(4) {
            let place = below(bytes.count)
            let end = min(bytes.count, place + below(64))
            switch below(7) {
            case 0: bytes[place] ^= 1 << below(8)
            case 1: bytes[place] = UInt8(below(256))
            // Values that often break lengths and tags.
            case 2: bytes[place] = [0x00, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xFF, 0x24, 0x30, 0x31][below(10)]
            case 3: bytes.removeSubrange(place..<end)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count))
            case 5: bytes[place] = bytes[place] &+ UInt8(below(3)) &- 1
            default: bytes.removeLast(min(below(16), bytes.count - 1))
            }
            if bytes.isEmpty { return [0] }
        }
        return bytes
    }
}
