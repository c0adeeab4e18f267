import AppReceipt
import ReceiptForge
import Testing

/// Chain rules that no attack in the forge's table depends on alone. Each test detects a planted defect
/// (`Tests/Hardening/mutants`) that other tests miss.
struct ChainRuleTests {
    private func reason(
        _ authority: Authority, _ change: (inout ReceiptRecipe) -> Void = { _ in }
    ) throws -> ReceiptError.Reason? {
        var recipe = ReceiptRecipe(authority: authority)
        change(&recipe)
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let bytes = try recipe.forge().bytes
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, for: .any)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Checks that a certificate with an invalid month in either date is never valid, as signer or
    /// intermediate.
    @Test(arguments: [true, false])
    func certificateWithInvalidDateIsNeverValid(isLeaf: Bool) throws {
        let verifier = try ReceiptVerifier(anchors: .custom(Authority.test().root.certificate.der))
        for date in [\CertificateProfile.notBefore, \.notAfter] {
            let bad = try Authority.test { profiles in
                let certificate = isLeaf ? \Authority.Profiles.leaf : \.intermediate
                profiles[keyPath: certificate][keyPath: date] = "2024-13-01T00:00:00Z"
            }
            let answer = verifier.answer(to: try ReceiptRecipe(authority: bad).forge().bytes)
            #expect(answer == "untrusted_chain")
        }
    }

    /// Checks RFC 5280, 4.1.2.5: "from notBefore through notAfter, inclusive", without a cached chain.
    @Test(arguments: [
        ("2023-12-31T23:59:59Z", false), ("2024-01-01T00:00:00Z", true), ("2025-01-01T00:00:00Z", true),
        ("2025-01-01T00:00:01Z", false),
    ])
    func validityIncludesItsEnds(date: String, isValid: Bool) throws {
        let authority = try Authority.test { profiles in
            profiles.leaf.notBefore = "2024-01-01T00:00:00Z"
            profiles.leaf.notAfter = "2025-01-01T00:00:00Z"
        }
        let reason = try reason(authority) { $0.content.creationDate = date }
        #expect((reason == nil) == isValid)
    }

    /// Checks that a root needs basic constraints. OpenSSL accepts a root that has only key usage.
    @Test
    func rootNeedsBasicConstraints() throws {
        let authority = try Authority.test { $0.root[CertificateExtension.basicConstraintsOID] = nil }
        #expect(try reason(authority) == .notAnAuthority)
    }

    /// Checks that a root with the intermediate's marker cannot replace the intermediate.
    @Test
    func rootCannotReplaceTheIntermediate() throws {
        var leaf: CertificateProfile?
        var authority = try Authority.test { profiles in
            profiles.root.extensions.append(.marker(.developerRelationsMarker))
            leaf = profiles.leaf
        }
        authority.leaf = try #require(leaf).signed(by: authority.root)
        authority.intermediate = nil
        #expect(try reason(authority) == .pathLength)
        // Not even with a copy of the root in the bag.
        authority.intermediate = authority.root
        #expect(try reason(authority) == .pathLength)
    }

    /// Checks that a forbidden algorithm is reported as such, not as a signature mismatch.
    @Test
    func forbiddenAlgorithmIsReported() throws {
        #expect(try reason(.test { $0.leaf.digest = .md5 }) == .certificateAlgorithm)
        #expect(try reason(.test { $0.intermediate.digest = .md5 }) == .certificateAlgorithm)
    }

    /// Checks that a self-signed certificate that imitates the anchor is refused as a certificate, before its
    /// key is used.
    @Test
    func lookAlikeOfASelfSignedAnchorIsNotTheAnchor() throws {
        let key = try PrivateKey.generateRSA()
        var recipe = try ReceiptRecipe.xcode()
        recipe.authority = try .storeKitTest { $0.key = key }
        let bytes = try recipe.forge().bytes
        let real = try Authority.storeKitTest().root.certificate.der
        let verifier = try ReceiptVerifier(anchors: TrustAnchors.apple.adding(storeKitTest: real))
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(bytes, for: .any) }
        #expect(error?.code == .untrustedChain)
    }

    /// Checks RFC 5280, 4.1.1.2: the outer algorithm "MUST contain the same algorithm identifier" as the
    /// signed one. Here its NULL is missing.
    @Test
    func certificateNamesOneAlgorithm() throws {
        let sha256WithRSA: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11]
        let withNull = [0x30, 0x0D] + sha256WithRSA + [0x05, 0x00]
        let reason = try reason(.test()) { recipe in
            recipe.editContainer { container in
                guard var leaf = container.certificates?[0],
                    let name = leaf.indices.last(where: { leaf[$0...].starts(with: withNull) })
                else { return }
                leaf.replaceSubrange(name..<name + withNull.count, with: [0x30, 0x0B] + sha256WithRSA)
                let count = leaf.count - 4
                leaf.replaceSubrange(0..<4, with: [0x30, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)])
                container.certificates?[0] = leaf
            }
        }
        #expect(reason == .certificateAlgorithm)
    }
}
