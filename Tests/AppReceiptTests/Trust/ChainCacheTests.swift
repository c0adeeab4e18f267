import ReceiptForge
import Testing

@testable import AppReceipt

struct ChainCacheTests {
    /// Checks the cache directly. Verification results do not show whether the cache grows with every
    /// untrusted certificate.
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
            let chain = try anchors.chain(signer: signer, candidates: candidates, of: bytes.span, at: time)
            cache.insert(chain, from: signer, over: candidates, of: bytes.span, at: time)
        }
        let cached = try receipts.map { bytes in
            let (signer, candidates) = try Self.certificates(of: bytes)
            return cache.chain(from: signer, over: candidates, of: bytes.span, at: time) != nil
        }
        #expect(cached == [false] + [Bool](repeating: true, count: capacity))
    }

    /// Checks that a certificate of a known length is read again unless all of its bytes are known. Otherwise,
    /// damaged certificates would get the ranges of undamaged ones.
    @Test
    func onlyIdenticalCertificatesAreKnown() throws {
        let receipt = try ReceiptRecipe(authority: .test()).forge()
        let anchors = TrustAnchors.custom(receipt.anchor)
        let shared = try ReceiptVerifier(anchors: anchors)
        _ = try shared.verify(receipt.bytes, for: .any)
        let container = try AppReceipt.SignedData(parsing: receipt.bytes.span, limits: ReceiptLimits())
        for index in container.certificates.flatMap({ $0.der.prefix(40) }) {
            var damaged = receipt.bytes
            damaged[index] ^= 1
            func refusal(_ verifier: ReceiptVerifier) -> ReceiptError? {
                do throws(ReceiptError) { _ = try verifier.verify(damaged, for: .any) } catch { return error }
                return nil
            }
            #expect(try refusal(shared) == refusal(ReceiptVerifier(anchors: anchors)), "byte \(index)")
        }
    }

    /// Checks that the first of two intermediates with the same key counts, regardless of which one the
    /// verifier saw before.
    @Test
    func earlierReceiptsDoNotAffectTheChain() throws {
        let authority = try Authority.test()
        let renewed = try #require(
            try Authority.test { $0.intermediate.serialNumber = [0x77] }.intermediate?.certificate.der)
        var recipe = ReceiptRecipe(authority: authority)
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        _ = try verifier.verify(recipe.forge().bytes, for: .any)
        recipe.editContainer { $0.certificates?.insert(renewed, at: 1) }
        let receipt = try verifier.verify(recipe.forge().bytes, for: .any)
        #expect(receipt.certificates.map(\.serialNumber).contains("77"))
    }

    /// Checks that a StoreKit Test certificate with an intermediate's name and key does not replace the
    /// intermediate. The chain leads to the root at every date and in every order. An anchor for Xcode
    /// receipts must not hide an anchor for all receipts.
    @Test
    func storeKitTestDoesNotHideTheRoot() throws {
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate)
        let storeKit = try Authority.storeKitTest { profile in
            profile.subject = intermediate.certificate.subject
            profile.key = intermediate.key
            profile.notBefore = "2021-01-01T00:00:00Z"
            profile.notAfter = "2025-01-01T00:00:00Z"
        }
        let anchors = TrustAnchors.custom(authority.root.certificate.der)
            .adding(storeKitTest: storeKit.root.certificate.der)
        var receipts = try [
            ("2026-06-01T00:00:00Z", "Production"), ("2023-06-01T00:00:00Z", "Production"),
            ("2023-06-01T00:00:00Z", "Xcode"),
        ].map { date, type in
            var recipe = ReceiptRecipe(authority: authority)
            recipe.content.creationDate = date
            recipe.content.receiptType = type
            return try recipe.forge().bytes
        }
        for _ in 0..<2 {
            let shared = try ReceiptVerifier(anchors: anchors)
            for bytes in receipts {
                #expect(try shared.verify(bytes, for: .any).realm == .custom)
                #expect(try ReceiptVerifier(anchors: anchors).verify(bytes, for: .any).realm == .custom)
            }
            receipts.reverse()
        }
        // Without the intermediate, the chain ends at the StoreKit Test certificate, which is accepted only
        // for Xcode receipts.
        let bare = try [("Production", "untrusted_chain"), ("Xcode", "genuine")].map { type, answer in
            var recipe = ReceiptRecipe(authority: authority)
            recipe.content.creationDate = "2023-06-01T00:00:00Z"
            recipe.content.receiptType = type
            recipe.editContainer { $0.certificates = [authority.leaf.certificate.der] }
            return (try recipe.forge().bytes, answer)
        }
        for (bytes, answer) in bare {
            #expect(try ReceiptVerifier(anchors: anchors).answer(to: bytes) == answer)
        }
    }

    /// Checks an intermediate that both the root and a StoreKit Test certificate signed. A receipt with both
    /// chains to the root, even after a receipt with only the other one.
    @Test
    func storeKitTestChainDoesNotReplaceTheRootsChain() throws {
        let authority = try Authority.test()
        let key = try PrivateKey.generateRSA()
        let other = try Authority.test { profiles in
            profiles.root.key = key
            profiles.root.subject = DistinguishedName(commonName: "StoreKit Test")
        }
        let anchors = TrustAnchors.custom(authority.root.certificate.der)
            .adding(storeKitTest: other.root.certificate.der)
        let intermediates = try [other, authority].map { try #require($0.intermediate).certificate.der }
        func receipt(_ issuers: [[UInt8]]) throws -> [UInt8] {
            var recipe = ReceiptRecipe(.xcode(), authority: authority)
            recipe.editContainer { $0.certificates = [authority.leaf.certificate.der] + issuers }
            return try recipe.forge().bytes
        }
        let shared = try ReceiptVerifier(anchors: anchors)
        #expect(try shared.verify(receipt([intermediates[0]]), for: .any).realm == .storeKitTest)
        #expect(try shared.verify(receipt(intermediates), for: .any).realm == .custom)
    }

    private static func certificates(of bytes: [UInt8]) throws -> (
        AppReceipt.Certificate, [AppReceipt.Certificate]
    ) {
        let container = try AppReceipt.SignedData(parsing: bytes.span, limits: ReceiptLimits())
        let signer = try container.signer(in: bytes.span)
        return (signer, container.issuers(of: signer, in: bytes.span))
    }
}
