import ReceiptASN1
import ReceiptForge
import Testing

@testable import AppReceipt

/// The chain cache is bounded in bytes: whoever has one genuine receipt can add certificates to its bag that
/// nobody signed for, of any size, and every one would be a new key.
struct CacheBoundTests {
    @Test
    func keepsNoLargeKey() throws {
        let authority = try Authority.test()
        let context = try CryptoContext()
        let anchors = try AnchorStore(.custom(authority.root.certificate.der), context: context)
        let leaf = authority.leaf.certificate.der
        let intermediate = try #require(authority.intermediate).certificate.der
        for (padding, isKept) in [(0, true), (100_000, false)] {
            // What a candidate is, the bytes alone decide here.
            let bytes = leaf + intermediate + [UInt8](repeating: 0, count: padding)
            let signer = 0..<leaf.count
            let issuer = signer.upperBound..<signer.upperBound + intermediate.count
            let candidates = padding == 0 ? [issuer] : [issuer, issuer.upperBound..<bytes.count]
            let chain = try anchors.chain(
                signer: bytes.span.extracting(signer), candidates: [issuer], of: bytes.span,
                at: Timestamp(millisecondsSince1970: 1_717_236_000_000))
            let cache = ChainCache()
            cache.insert(chain, for: bytes.span, signer, candidates)
            #expect((cache.chain(for: bytes.span, signer, candidates) != nil) == isKept)
        }
    }

    /// A receipt with such a bag is judged as before, only not as fast; beyond 64 KiB a certificate is not decoded.
    @Test(arguments: [(20_000, "genuine"), (70_000, "untrusted_chain")])
    func largeCertificates(count: Int, answer: String) throws {
        let authority = try Authority.test()
        let large = try Authority.test { profiles throws(ForgeError) in
            profiles.intermediate.key = try .generateRSA()
            profiles.intermediate.extensions.append(
                CertificateExtension(
                    [1, 3, 9, 9], value: BER.octetString([UInt8](repeating: 0, count: count))))
        }
        var recipe = ReceiptRecipe(authority: authority)
        let extra = try #require(large.intermediate).certificate.der
        recipe.editContainer { $0.certificates?.append(extra) }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        for _ in 0..<2 { #expect(verifier.answer(to: try recipe.forge().bytes) == answer) }
    }

    /// Places in a payload are kept in 32 bits, and OpenSSL counts in them: no limit goes beyond.
    @Test
    func limitsStayBelowTwoGiB() {
        var limits = ReceiptLimits()
        limits.inputBytes = .max
        #expect(limits.inputBytes == Int(Int32.max))
        #expect(limits.textBytes == 3_221_225_470)
    }
}
