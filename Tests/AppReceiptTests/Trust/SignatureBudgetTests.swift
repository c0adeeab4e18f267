import AppReceipt
import ReceiptForge
import Testing

/// A search for a chain takes a bounded number of signature checks, whatever a stranger puts into the bag.
struct SignatureBudgetTests {
    private let authority: Authority
    private let elliptic: Authority
    private static let otherKey = Result { () throws(ForgeError) in try PrivateKey.generateRSA() }

    init() throws {
        authority = try .test()
        elliptic = try .test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(.p384)
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
        }
    }

    private func answer(
        to bag: [[UInt8]], anchors: TrustAnchors? = nil, signatureChecks: Int? = nil
    ) throws -> ReceiptError.Reason? {
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { $0.certificates = bag }
        var limits = ReceiptLimits()
        if let signatureChecks { limits.signatureChecks = signatureChecks }
        let verifier = try ReceiptVerifier(
            anchors: anchors ?? .custom(authority.root.certificate.der), limits: limits)
        let bytes = try recipe.forge().bytes
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, for: .anyApp)
            return nil
        } catch {
            #expect(error.code == .untrustedChain)
            return error.reason
        }
    }

    /// Issuers of the right name that the root signed, with a key that did not sign the leaf: two checks each.
    private func others(_ count: Int) throws -> [[UInt8]] {
        try (0..<count).map { number in
            let other = try Authority.test { profiles throws(ForgeError) in
                profiles.intermediate.key = try Self.otherKey.get()
                profiles.intermediate.serialNumber = [2, UInt8(number)]
            }
            return try #require(other.intermediate).certificate.der
        }
    }

    @Test(
        arguments: [
            // others, checks allowed (nil: as it comes), whether the chain is found
            (0, 2, true), (0, 1, false), (5, nil, true), (6, nil, false), (6, 14, true), (6, 13, false),
            (0, 0, false),
        ] as [(Int, Int?, Bool)])
    func isLimited(others count: Int, checks: Int?, isFound: Bool) throws {
        let bag = [authority.leaf.certificate.der] + (try others(count)) + authority.bag.dropFirst()
        let reason = try answer(to: bag, signatureChecks: checks)
        #expect(reason == (isFound ? nil : .signatureChecks(limit: checks ?? 12)))
    }

    /// A certificate that stands twice is checked once.
    @Test
    func copiesCountOnce() throws {
        let other = try #require(try others(1).first)
        let copies = [[UInt8]](repeating: other, count: 13)
        #expect(try answer(to: [authority.leaf.certificate.der] + copies + authority.bag[1...1]) == nil)
    }

    /// Certificates under the intermediate's name that nobody signed and that claim the elliptic root for their issuer:
    /// a check takes forty times as long as one with RSA.
    @Test(arguments: [(1, true), (2, false), (13, false)])
    func ellipticChecksCountMore(strangers: Int, isFound: Bool) throws {
        let name = try #require(authority.intermediate).certificate.subject.encoded
        let algorithm = BER.sequence(([1, 2, 840, 10045, 4, 3, 3] as OID).encoded)
        let issuer = elliptic.root.certificate.subject.encoded
        let bag = (0..<strangers).map { number in
            let tbs = BER.sequence(BER.integer(number), algorithm, issuer, BER.sequence(), name)
            let signature = BER.sequence(BER.integer(1), BER.integer(1))
            return BER.sequence(tbs, algorithm, BER.bitString(signature))
        }
        let reason = try answer(
            to: [authority.leaf.certificate.der] + bag + authority.bag[1...1],
            anchors: .custom(authority.root.certificate.der, elliptic.root.certificate.der))
        #expect(reason == (isFound ? nil : .signatureChecks(limit: 12)))
    }

    /// No receipt ever had a chain of two elliptic keys; whoever expects one says so.
    @Test(arguments: [(nil, false), (16, true)] as [(Int?, Bool)])
    func ellipticChainsTakeSixteen(checks: Int?, isFound: Bool) throws {
        let authority = try Authority.test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(.p384)
            profiles.intermediate.key = try .generateEC(.p384)
        }
        var limits = ReceiptLimits()
        if let checks { limits.signatureChecks = checks }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der), limits: limits)
        let bytes = try ReceiptRecipe(authority: authority).forge().bytes
        #expect(verifier.answer(to: bytes) == (isFound ? "genuine" : "untrusted_chain"))
    }
}
