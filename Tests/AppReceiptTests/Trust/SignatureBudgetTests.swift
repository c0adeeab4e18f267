import AppReceipt
import ReceiptForge
import Testing

/// The limit on signature checks in a search for a chain, whatever an attacker puts in the bag.
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
            _ = try verifier.verify(bytes, for: .any)
            return nil
        } catch {
            #expect(error.code == .untrustedChain)
            return error.reason
        }
    }

    /// Returns issuers with the right name that the root signed but that did not sign the leaf. Each costs
    /// two checks.
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
            // other issuers, allowed checks (nil: default), whether the chain is found
            (0, 2, true), (0, 1, false), (3, nil, true), (4, nil, false), (6, 14, true), (6, 13, false),
            (0, 0, false),
        ] as [(Int, Int?, Bool)])
    func isLimited(others count: Int, checks: Int?, isFound: Bool) throws {
        let bag = [authority.leaf.certificate.der] + (try others(count)) + authority.bag.dropFirst()
        let reason = try answer(to: bag, signatureChecks: checks)
        #expect(reason == (isFound ? nil : .signatureChecks(limit: checks ?? 8)))
    }

    /// Checks that a duplicate certificate costs one check.
    @Test
    func duplicateCertificateCostsOneCheck() throws {
        let other = try #require(try others(1).first)
        let copies = [[UInt8]](repeating: other, count: 13)
        #expect(try answer(to: [authority.leaf.certificate.der] + copies + authority.bag[1...1]) == nil)
    }

    /// Checks that untrusted certificates that name the elliptic root as issuer do not hide the chain. An
    /// elliptic check takes forty times as long as one with RSA, so the verifier makes none.
    @Test(arguments: [(1, nil, nil), (13, nil, nil), (1, false, 8)] as [(Int, Bool?, Int?)])
    func ellipticChecksCountMore(unrelated: Int, isIntermediateThere: Bool?, limit: Int?) throws {
        let name = try #require(authority.intermediate).certificate.subject.encoded
        let algorithm = BER.sequence(([1, 2, 840, 10045, 4, 3, 3] as OID).encoded)
        let issuer = elliptic.root.certificate.subject.encoded
        let bag = (0..<unrelated).map { number in
            let tbs = BER.sequence(BER.integer(number), algorithm, issuer, BER.sequence(), name)
            let signature = BER.sequence(BER.integer(1), BER.integer(1))
            return BER.sequence(tbs, algorithm, BER.bitString(signature))
        }
        let reason = try answer(
            to: [authority.leaf.certificate.der] + bag
                + (isIntermediateThere == false ? [] : Array(authority.bag[1...1])),
            anchors: .custom(authority.root.certificate.der, elliptic.root.certificate.der))
        #expect(reason == limit.map { .signatureChecks(limit: $0) })
    }

    /// Checks elliptic chains, which no known receipt has. They are found if every anchor is elliptic. Next
    /// to an RSA root, the caller must raise the limit.
    @Test(
        arguments: [
            // next to an RSA root, allowed checks (nil: default), whether the chain is found
            (false, nil, true), (false, 0, true), (true, nil, false), (true, 79, false), (true, 80, true),
        ] as [(Bool, Int?, Bool)])
    func ellipticChains(isBesideRSA: Bool, checks: Int?, isFound: Bool) throws {
        let chain = try Authority.test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(.p384)
            profiles.intermediate.key = try .generateEC(.p384)
        }
        var limits = ReceiptLimits()
        if let checks { limits.signatureChecks = checks }
        let anchors: TrustAnchors =
            isBesideRSA
            ? .custom(chain.root.certificate.der, authority.root.certificate.der)
            : .custom(chain.root.certificate.der)
        let verifier = try ReceiptVerifier(anchors: anchors, limits: limits)
        let bytes = try ReceiptRecipe(authority: chain).forge().bytes
        #expect(verifier.answer(to: bytes) == (isFound ? "genuine" : "untrusted_chain"))
    }
}
