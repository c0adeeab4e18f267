// Signed attributes that do not cover the content, or that violate RFC 5652, 5.4.
extension HostileVariant {
    static let signedAttributes: [HostileVariant] = [
        attributes("signedattrs-without-digest", "no messageDigest: the content is not covered") {
            attributes, _ in attributes.removeAll { $0.type == .messageDigest }
        },
        attributes("signedattrs-other-digest", "the messageDigest of other content") {
            attributes, content throws(ForgeError) in
            attributes = try CMSAttribute.usual(for: content + [0])
        },
        attributes("signedattrs-short-digest", "only the first bytes of the messageDigest") {
            attributes, _ in
            attributes[1].values = [BER.octetString(Array(attributes[1].values[0].dropFirst(2).prefix(4)))]
        },
        attributes("signedattrs-empty-digest", "an empty messageDigest") { attributes, _ in
            attributes[1].values = [BER.octetString([])]
        },
        attributes("signedattrs-digest-without-value", "a messageDigest attribute without a value") {
            attributes, _ in attributes[1].values = []
        },
        attributes("signedattrs-digest-values", "messageDigest with two values, one of them right") {
            attributes, _ in attributes[1].values.append(BER.octetString(Array(repeating: 0, count: 32)))
        },
        attributes("signedattrs-digest-twice", "two messageDigest attributes, one of them right") {
            attributes, _ in
            attributes.append(
                CMSAttribute(.messageDigest, [BER.octetString(Array(repeating: 0xFF, count: 32))]))
        },
        attributes("signedattrs-without-content-type", "no contentType") { attributes, _ in
            attributes.removeAll { $0.type == .contentType }
        },
        attributes("signedattrs-other-content-type", "contentType says signedData") { attributes, _ in
            attributes[0].values = [OID.signedData.encoded]
        },
        attributes("signedattrs-content-type-twice", "two contentType attributes that disagree") {
            attributes, _ in attributes.append(CMSAttribute(.contentType, [OID.signedData.encoded]))
        },
        HostileVariant(
            "signedattrs-added", "attributes added to a signature that covers the content", .badSignature
        ) {
            $0.editContainer { container throws(ForgeError) in
                container.signerInfos[0].signedAttributes = try CMSAttribute.usual(
                    for: container.eContent ?? [])
            }
        },
        HostileVariant(
            "signedattrs-removed", "attributes removed from a signature that covers them", .badSignature
        ) {
            $0.signedAttributes = .usual(signingTime: nil)
            $0.editContainer { $0.signerInfos[0].signedAttributes = nil }
        },
        HostileVariant(
            "signedattrs-as-content", "signed attributes presented as the content: the signature is valid",
            .malformed
        ) {
            $0.signedAttributes = .usual(signingTime: nil)
            $0.editContainer { container in
                let attributes = container.signerInfos[0].signedAttributes ?? []
                container.eContent = BER.set(of: attributes.map(\.encoded))
                container.signerInfos[0].signedAttributes = nil
            }
        },
        signerInfo("signedattrs-empty", "an empty [0] of attributes", .malformed, or: [.badSignature]) {
            $0.signedAttributes = []
        },
        HostileVariant(
            "signedattrs-ber", "attributes with non-minimal lengths, signature over their DER", .malformed,
            or: [.badSignature, .genuine]
        ) {
            $0.signedAttributes = .usual(signingTime: nil)
            $0.editContainer { container in
                let attributes = BER.sorted((container.signerInfos[0].signedAttributes ?? []).map(\.encoded))
                let content = attributes.flatMap { element in
                    BER.element(element[0], Array(element.dropFirst(2)), length: .padded(octets: 2))
                }
                container.signerInfos[0].rawSignedAttributes = BER.element(BER.Tag.context(0), content)
            }
        },
        HostileVariant(
            "signedattrs-sequence-tag", "signature over [0] instead of SET OF", .badSignature
        ) { recipe in
            let key = recipe.authority.leaf.key
            recipe.signedAttributes = .usual(signingTime: nil)
            recipe.editContainer { container throws(ForgeError) in
                let attributes = BER.sorted((container.signerInfos[0].signedAttributes ?? []).map(\.encoded))
                container.signerInfos[0].signature = try key.sign(
                    BER.element(BER.Tag.context(0), BER.concatenated(attributes)))
            }
        },
    ]

    /// Makes a variant with a valid signature over changed attributes.
    private static func attributes(
        _ id: String, _ summary: String,
        _ edit: @escaping @Sendable (inout [CMSAttribute], _ content: [UInt8]) throws(ForgeError) -> Void
    ) -> HostileVariant {
        HostileVariant(id, summary, .badSignature, or: [.malformed]) { recipe in
            let leaf = recipe.authority.leaf
            recipe.editContainer { container throws(ForgeError) in
                let content = container.eContent ?? []
                var attributes = try CMSAttribute.usual(for: content)
                try edit(&attributes, content)
                container.signerInfos = [
                    try SignerInfo(signing: content, by: leaf, signedAttributes: attributes)
                ]
            }
        }
    }
}
