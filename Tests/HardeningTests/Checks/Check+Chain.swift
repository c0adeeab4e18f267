import ReceiptForge

extension Check {
    /// Certificates with valid signatures. The first byte selects a certificate below the root, and the rest
    /// is its TBSCertificate. The result is compared with OpenSSL's, as in `opinion`.
    static let chain = Check(
        name: "chain", form: .option, longest: 1536,
        seeds: {
            let authority = Bench.shared.authority
            return [authority.leaf, authority.intermediate ?? authority.root].enumerated().map {
                index, identity in
                [UInt8(index)] + (tbsCertificate(of: identity.certificate.der) ?? [])
            }
        }
    ) { bytes in
        guard
            let receipt = try? receipt(
                with: Array(bytes.dropFirst()), asIntermediate: (bytes.first ?? 0) & 1 == 1)
        else { return Outcome(answer: "", fault: "the forge fails") }
        return compareWithOpenSSL(receipt)
    }

    private static func tbsCertificate(of der: [UInt8]) -> [UInt8]? {
        guard let tbs = TLVNode.parse(der[...])?.first?.children?.first else { return nil }
        return TLVNode.encode([tbs])
    }

    private static func receipt(with tbs: [UInt8], asIntermediate: Bool) throws(ForgeError) -> [UInt8] {
        let authority = Bench.shared.authority
        let issuer = asIntermediate ? authority.root : authority.intermediate ?? authority.root
        let fields = TLVNode.parse(tbs[...])?.first?.children ?? []
        let start = fields.first?.tag == 0xA0 ? 1 : 0
        // The certificate contains the algorithm twice, equally.
        let algorithm =
            fields.count > start + 1
            ? TLVNode.encode([fields[start + 1]])
            : SignatureAlgorithm.identifier(for: issuer.key, digest: .sha256)
        let certificate = BER.sequence(tbs, algorithm, BER.bitString(try issuer.key.sign(tbs)))
        var bag = authority.bag
        bag[asIntermediate ? 1 : 0] = certificate
        var signer = Bench.shared.signer
        if !asIntermediate, fields.count > start + 2 {
            signer.sid = BER.sequence(TLVNode.encode([fields[start + 2]]), TLVNode.encode([fields[start]]))
        }
        return SignedData(eContent: Bench.shared.payload, certificates: bag, signerInfos: [signer]).encoded
    }
}
