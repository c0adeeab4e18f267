// The certificates of the container, and the signer that signerInfo names.
extension HostileVariant {
    static let bag: [HostileVariant] = [
        container("intermediate-missing", "no intermediate in the bag", .untrustedChain) {
            $0.certificates?.remove(at: 1)
        },
        container(
            "leaf-missing", "no leaf in the bag", .untrustedChain, or: [.badSignature, .malformed]
        ) { $0.certificates?.removeFirst() },
        container("bag-absent", "no certificates at all", .untrustedChain, or: [.malformed]) {
            $0.certificates = nil
        },
        container("bag-empty", "an empty bag", .untrustedChain, or: [.malformed]) { $0.certificates = [] },
        container("bag-not-certificates", "an OCTET STRING in the bag", or: [.untrustedChain]) {
            $0.certificates?.insert(BER.octetString([1, 2, 3]), at: 0)
        },
        container("bag-of-17", "more certificates than the limit", .tooLarge, or: [.malformed]) {
            container in
            container.certificates = container.certificates.map { bag in
                bag + Array(repeating: bag[bag.count - 1], count: 14)
            }
        },
        container("leaf-signature-flipped", "one flipped bit in the signature on the leaf", .untrustedChain) {
            container in
            container.certificates?[0].flipBit(fromEnd: 40)
        },
        container(
            "intermediate-signature-flipped", "one flipped bit in the signature on the intermediate",
            .untrustedChain
        ) { container in
            container.certificates?[1].flipBit(fromEnd: 40)
        },
        signerInfo(
            "sid-unknown-serial", "the signerInfo names a serial number that no certificate has",
            .untrustedChain
        ) {
            $0.sid = BER.sequence(DistinguishedName(commonName: "Nobody").encoded, BER.integer(1))
        },
        HostileVariant(
            "sid-unknown-issuer",
            "the signerInfo names the leaf's serial number and an unknown issuer", .untrustedChain
        ) { recipe in
            let nobody = DistinguishedName(commonName: "Nobody").encoded
            let serialNumber = recipe.authority.leaf.certificate.serialNumber
            recipe.editContainer {
                $0.signerInfos[0].sid = BER.sequence(nobody, BER.element(BER.Tag.integer, serialNumber))
            }
        },
        HostileVariant(
            "sid-names-intermediate", "the leaf signed, but the signerInfo names the intermediate",
            .wrongPurpose,
            or: [.badSignature, .untrustedChain]
        ) { recipe in
            guard let intermediate = recipe.authority.intermediate?.certificate else { return }
            recipe.editContainer {
                $0.signerInfos[0].sid = SignerInfo.issuerAndSerialNumber(of: intermediate)
            }
        },
        HostileVariant(
            "sid-key-identifier", "the signerInfo names the signer by subjectKeyIdentifier", .malformed,
            or: [.genuine]
        ) { recipe in
            let leaf = recipe.authority.leaf.certificate
            recipe.editContainer {
                $0.version = 3
                $0.signerInfos[0].version = 3
                $0.signerInfos[0].sid = SignerInfo.subjectKeyIdentifier(of: leaf)
            }
        },
        twins("twins-genuine-first") { genuine, attacker in [genuine, attacker] },
        twins("twins-attacker-first") { genuine, attacker in [attacker, genuine] },
    ]

    /// Makes a variant that an attacker signs with a leaf that has the genuine leaf's issuer and serial
    /// number.
    private static func twins(
        _ id: String,
        _ order: @escaping @Sendable (_ genuine: [UInt8], _ attacker: [UInt8]) -> [[UInt8]]
    ) -> HostileVariant {
        HostileVariant(
            id, "two different certificates with the same issuer and serial number", .malformed,
            or: [.untrustedChain, .badSignature]
        ) { recipe throws(ForgeError) in
            let genuine = recipe.authority
            recipe.anchor = genuine.root.certificate.der
            recipe.authority = try .attacker()
            let attacker = recipe.authority.leaf.certificate.der
            recipe.editContainer {
                $0.certificates = order(genuine.leaf.certificate.der, attacker) + genuine.bag.dropFirst()
            }
        }
    }
}

extension [UInt8] {
    /// Flips the lowest bit of a byte.
    /// - Parameter distance: The position of the byte, counted from the end; 1 is the last byte.
    mutating func flipBit(fromEnd distance: Int) {
        if (1...count).contains(distance) { self[count - distance] ^= 1 }
    }
}
