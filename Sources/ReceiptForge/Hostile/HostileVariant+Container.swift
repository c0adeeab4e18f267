// Containers with additional or missing parts. The signature covers none of the changes.
extension HostileVariant {
    static let container: [HostileVariant] = [
        container("signers-none", "no signer") { $0.signerInfos = [] },
        container("signers-none-content-changed", "no signer, and changed content") {
            $0.signerInfos = []
            $0.eContent?.flipBit(fromEnd: 3)
        },
        container("signers-twice", "the same signerInfo twice") { $0.signerInfos.append($0.signerInfos[0]) },
        HostileVariant("signers-genuine-first", "an attacker's signerInfo after the genuine one", .malformed)
        {
            $0.addAttacker(first: false)
        },
        HostileVariant(
            "signers-attacker-first", "an attacker's signerInfo before the genuine one", .malformed
        ) {
            $0.addAttacker(first: true)
        },
        container("signer-empty", "a signerInfo without fields") { container in
            container.extraFields = BER.element(BER.Tag.set, BER.sequence())
            container.signerInfos = []
        },
        container("field-behind-signers", "an element after signerInfos") {
            $0.extraFields = BER.octetString([1])
        },
        container("signers-set-twice", "a second SET after signerInfos") {
            $0.extraFields = BER.element(BER.Tag.set, $0.signerInfos.flatMap(\.encoded))
        },
        container("field-behind-signed-data", "an element after SignedData") {
            $0.extraContentInfoFields = BER.null
        },
        signerInfo("field-in-signer", "an element after the signature", .malformed) {
            $0.extraFields = BER.null
        },
        signerInfo("unsigned-attributes", "unsigned attributes", .malformed, or: [.genuine]) {
            $0.unsignedAttributes = [CMSAttribute([1, 3, 9, 9], [BER.utf8String("com.example.other")])]
        },
        container("crls", "unsigned revocation lists", or: [.genuine]) {
            $0.crls = BER.sequence(BER.utf8String("com.example.other"))
        },
        container("content-detached", "no content") { $0.eContent = nil },
        container("content-empty", "empty content", or: [.badSignature]) { $0.eContent = [] },
        container("content-twice", "two OCTET STRINGs of content") {
            $0.afterEContent = BER.octetString($0.eContent ?? [])
        },
        container("content-type-signed-data", "the content type is signedData") {
            $0.eContentType = .signedData
        },
        container("container-type-data", "the container type is data") { $0.contentType = .data },
        container("container-type-enveloped", "the container type is envelopedData") {
            $0.contentType = [1, 2, 840, 113549, 1, 7, 3]
        },
    ]
}

extension ReceiptRecipe {
    fileprivate mutating func addAttacker(first: Bool) {
        editContainer { container throws(ForgeError) in
            let attacker = try Authority.attacker { $0.leaf.serialNumber = [0x66] }
            let signerInfo = try SignerInfo(signing: container.eContent ?? [], by: attacker.leaf)
            container.signerInfos.insert(signerInfo, at: first ? 0 : 1)
            container.certificates?.append(attacker.leaf.certificate.der)
        }
    }
}
