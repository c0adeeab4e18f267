import ReceiptForge
import TestSupport
import Testing

@Suite("Hostile variants")
struct HostileVariantTests {
    @Test("the table is large, and IDs are unique file names")
    func table() {
        #expect(HostileVariant.all.count >= 150)
        #expect(Set(HostileVariant.all.map(\.id)).count == HostileVariant.all.count)
        for variant in HostileVariant.all {
            #expect(variant.id.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) })
            #expect(!variant.summary.isEmpty)
        }
        #expect(throws: ForgeError.unknownVariant("nothing")) { try HostileVariant.named("nothing") }
    }

    /// The variants that the OpenSSL command line accepts. It verifies at the given time, allows MD5, short
    /// keys and PSS, and does not compare all fields.
    private static let acceptedByOpenSSL: Set = [
        "leaf-signed-with-md5", "intermediate-signed-with-md5", "leaf-rsa-1024", "intermediate-rsa-1024",
        "digest-md5", "signature-pss", "created-before-the-chain", "created-after-the-chain",
        "signature-named-sha1-with-rsa", "signature-named-ecdsa", "digest-unknown",
        "signedattrs-other-content-type",
    ]

    /// Checks that OpenSSL accepts genuine variants and refuses bad chains and signatures. OpenSSL does not
    /// check markers, strictness or payloads.
    @Test("OpenSSL agrees on chains and signatures", arguments: HostileVariant.all)
    func openSSL(variant: HostileVariant) throws {
        let forged = try variant.forge()
        let accepted = try OpenSSLTool.verify(forged.bytes, root: forged.anchor).status == 0
        switch variant.expected {
        case .genuine: #expect(accepted)
        case .untrustedChain, .badSignature:
            if !Self.acceptedByOpenSSL.contains(variant.id) { #expect(!accepted) }
        case .malformed, .tooLarge, .wrongPurpose, .wrongBundleID, .wrongEnvironment: break
        }
    }

    @Test(
        "each applies to a receipt without purchases, or reports that it needs one",
        arguments: HostileVariant.all)
    func withoutPurchases(variant: HostileVariant) throws {
        let recipe = ReceiptRecipe(ReceiptContent(purchases: []), authority: try .test())
        do throws(ForgeError) {
            _ = try variant.forge(from: recipe)
        } catch {
            #expect(variant.id == "purchase-unknown-attributes")
            #expect("\(error)".contains("needs a purchase"))
        }
    }

    @Test("each is reproducible and differs from all others")
    func reproducible() throws {
        let receipts = try HostileVariant.all.map { try $0.forge() }
        #expect(try HostileVariant.all.map { try $0.forge() } == receipts)
        #expect(Set(receipts).count == receipts.count)
        let jws = try HostileJWS.all.map { try $0.forge() }
        #expect(try HostileJWS.all.map { try $0.forge() } == jws)
        #expect(Set(jws).count == jws.count)
    }

    @Test("the JWS variants are reproducible, with unique IDs")
    func tableOfJWS() throws {
        #expect(HostileJWS.all.count >= 120)
        #expect(HostileJWS.all.filter { $0.expected == .genuine }.count >= 20)
        #expect(Set(HostileJWS.all.map(\.id)).count == HostileJWS.all.count)
        for variant in HostileJWS.all {
            #expect(variant.id.hasPrefix("jws-"))
            #expect(!variant.summary.isEmpty)
            #expect(variant.id.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) })
        }
        #expect(throws: ForgeError.unknownVariant("valid")) { try HostileJWS.named("valid") }
    }
}
