import AppReceipt
import ReceiptForge
import Testing

/// Certificates signed by a trusted key. They must follow RFC 5280 exactly and have acceptable keys.
struct CertificateFormTests {
    private func reason(
        _ authority: Authority, _ edit: ReceiptRecipe.Edit<SignerInfo>? = nil
    ) throws -> ReceiptError.Reason? {
        var recipe = ReceiptRecipe(authority: authority)
        if let edit {
            recipe.editContainer { container throws(ForgeError) in try edit(&container.signerInfos[0]) }
        }
        let bytes = try recipe.forge().bytes
        do throws(ReceiptError) {
            _ = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der)).verify(
                bytes, for: .any)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Checks RFC 5280, 6.1: an intermediate with the root's name is valid, and differs from a self-signed
    /// certificate by its signature. Key identifiers (4.2.1.1) are required of issuers, not of verifiers.
    @Test(arguments: [true, false], [true, false])
    func selfIssuedIntermediate(hasIdentifiers: Bool, leafHasIdentifiers: Bool) throws {
        let authority = try Authority.test { profiles in
            profiles.intermediate.subject = profiles.root.subject
            profiles.intermediate.hasKeyIdentifiers = hasIdentifiers
            profiles.leaf.hasKeyIdentifiers = leafHasIdentifiers
        }
        #expect(try reason(authority) == nil)
    }

    /// Checks RFC 5280, 4.2. The verifier does not process policies, so it rejects certificates that require
    /// them, even if every certificate of the path names a policy.
    @Test
    func policyConstraintsAreRefused() throws {
        // PolicyConstraints ::= SEQUENCE { requireExplicitPolicy [0] SkipCerts OPTIONAL, … }
        let constraints = CertificateExtension(
            [2, 5, 29, 36], critical: true, value: BER.sequence(BER.element(0x80, [0])))
        let policy = CertificateExtension.certificatePolicies([[1, 3, 9, 9]])
        let none = try Authority.test { $0.intermediate.extensions.append(constraints) }
        let all = try Authority.test { profiles in
            profiles.intermediate.extensions += [constraints, policy]
            profiles.leaf.extensions.append(policy)
        }
        for authority in [none, all] {
            // X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION
            let isRefused = if case .noPath(code: 34, _) = try reason(authority) { true } else { false }
            #expect(isRefused)
        }
    }

    /// Checks RFC 5280, 4.1.2.9: only version 3 has extensions, and there is no version 4.
    @Test(arguments: [nil, 0, 1, 2, 3] as [Int?])
    func onlyVersion3HasExtensions(version: Int?) throws {
        for certificate in [\Authority.Profiles.leaf, \.intermediate, \.root] {
            let authority = try Authority.test { $0[keyPath: certificate].version = version }
            let refusal = ReceiptError.Reason.certificateUndecodable(
                openSSL: version == 3 || version == 0 ? "version" : "extensions")
            #expect(try reason(authority) == (version == 2 ? nil : refusal))
        }
    }

    /// Checks RFC 8017, 3.1: an exponent must be odd and at least 3. With exponent 1, a block is its own
    /// signature. A large exponent makes verification slow, so the limit is 64 bits.
    @Test(
        arguments: [
            ([0x01], .certificateKey), ([0x02], .certificateKey), ([0x01, 0x00, 0x00], .certificateKey),
            ([0x03], .signatureMismatch), ([0x01, 0x00, 0x01], .signatureMismatch),
            ([0x00] + [UInt8](repeating: 0xFF, count: 8), .signatureMismatch),
            ([0x01] + [UInt8](repeating: 0xFF, count: 8), .certificateKey),
            ([0x7F] + [UInt8](repeating: 0xFF, count: 255), .certificateKey),
        ] as [([UInt8], ReceiptError.Reason)])
    func exponents(exponent: [UInt8], expected: ReceiptError.Reason) throws {
        let authority = try Authority.test { profiles in
            let own = profiles.leaf.key.subjectPublicKeyInfo
            // SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING { SEQUENCE { modulus of 257 octets, exponent } } }
            let modulus = own[(own.count - 5 - 261)..<(own.count - 5)]
            profiles.leaf.subjectPublicKeyInfo = BER.sequence(
                SignatureAlgorithm.rsaEncryption,
                BER.bitString(BER.sequence(Array(modulus), BER.element(BER.Tag.integer, exponent))))
        }
        // The padded block. With exponent 1 it is also the signature.
        let reason = try reason(authority) { signer throws(ForgeError) in
            let info = BER.sequence(
                Digest.sha256.algorithmIdentifier,
                BER.octetString(try Digest.sha256.hash(try ReceiptContent().encoded())))
            signer.signature =
                [0, 1] + [UInt8](repeating: 0xFF, count: 256 - 3 - info.count) + [0] + info
        }
        #expect(reason == expected)
    }
}
