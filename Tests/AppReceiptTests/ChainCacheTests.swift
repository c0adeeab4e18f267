import ReceiptForge
import Testing

@testable import AppReceipt

struct ChainCacheTests {
    /// From outside, nothing tells a full cache from one that grows with every certificate that a stranger sends.
    @Test
    func forgetsTheOldest() throws {
        let capacity = RecentEntries<CertificateChain>.capacity
        let receipts = try (0...capacity).map { number in
            let authority = try Authority.test { $0.leaf.serialNumber = [1, UInt8(number)] }
            return try ReceiptRecipe(authority: authority).forge().bytes
        }
        let time = try UnverifiedReceipt(parsing: receipts[0]).payload.creationDate
        let anchors = try AnchorStore(
            .custom(Authority.test().root.certificate.der), context: CryptoContext())
        let cache = ChainCache()
        for bytes in receipts {
            let (signer, candidates) = try Self.certificates(of: bytes)
            let found = try anchors.chain(signer: signer, candidates: candidates, of: bytes.span, at: time)
            cache.insert(found.chain, from: signer, over: found.intermediate, of: bytes.span)
        }
        let cached = try receipts.map { bytes in
            let (signer, candidates) = try Self.certificates(of: bytes)
            return cache.chain(from: signer, over: candidates, of: bytes.span, at: time) != nil
        }
        #expect(cached == [false] + [Bool](repeating: true, count: capacity))
    }

    /// Where an intermediate was renewed under its key, a receipt may carry both, and the first is the one that counts,
    /// whichever the verifier has met before.
    @Test
    func historyDoesNotShow() throws {
        let authority = try Authority.test()
        let renewed = try #require(
            try Authority.test { $0.intermediate.serialNumber = [0x77] }.intermediate?.certificate.der)
        var recipe = ReceiptRecipe(authority: authority)
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        _ = try verifier.verify(recipe.forge().bytes, for: .anyApp)
        recipe.editContainer { $0.certificates?.insert(renewed, at: 1) }
        let receipt = try verifier.verify(recipe.forge().bytes, for: .anyApp)
        #expect(receipt.certificates.map(\.serialNumber).contains("77"))
    }

    private static func certificates(of bytes: [UInt8]) throws -> (
        AppReceipt.Certificate, [AppReceipt.Certificate]
    ) {
        let container = try AppReceipt.SignedData(parsing: bytes.span, limits: ReceiptLimits())
        let signer = try container.signer(in: bytes.span)
        return (signer, container.issuers(of: signer, in: bytes.span))
    }
}
