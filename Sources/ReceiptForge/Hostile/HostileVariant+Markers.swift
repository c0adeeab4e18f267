// Valid chains of certificates that are not meant for signing receipts.
extension HostileVariant {
    /// Variants with such a chain. Anyone with a developer certificate has one.
    static let markers: [HostileVariant] = [
        profiles("leaf-marker-missing", "the leaf lacks the receipt signing marker", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = nil
        },
        profiles("intermediate-marker-missing", "the intermediate lacks its marker", .wrongPurpose) {
            $0.intermediate[.developerRelationsMarker] = nil
        },
        profiles("markers-missing", "neither has a marker", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = nil
            $0.intermediate[.developerRelationsMarker] = nil
        },
        profiles("markers-swapped", "each has the marker of the other", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker(.developerRelationsMarker)
            $0.intermediate[.developerRelationsMarker] = .marker(.receiptSigningMarker)
        },
        profiles("leaf-marker-longer", "the leaf's marker has one more arc", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 11, 1, 1])
        },
        profiles("leaf-marker-shorter", "the leaf's marker lacks one arc", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 11])
        },
        profiles("leaf-marker-neighbour", "the last arc of the leaf's marker is one higher", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 11, 2])
        },
        profiles("intermediate-marker-longer", "the intermediate's marker has one more arc", .wrongPurpose) {
            $0.intermediate[.developerRelationsMarker] = .marker([1, 2, 840, 113635, 100, 6, 2, 1, 1])
        },
        profiles("leaf-marker-as-policy", "the marker among the certificate policies", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .certificatePolicies([.receiptSigningMarker])
        },
        profiles("leaf-marker-as-usage", "the marker in extendedKeyUsage", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .extendedKeyUsage([.receiptSigningMarker])
        },
        profiles("leaf-marker-in-extension", "a whole marker inside another extension's value", .wrongPurpose)
        {
            $0.leaf[.receiptSigningMarker] = CertificateExtension(
                [1, 3, 9, 9], value: CertificateExtension.marker(.receiptSigningMarker).encoded)
        },
        profiles("leaf-marker-in-name", "the marker's DER in the subject", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = nil
            $0.leaf.subject.attributes.append(.init(.receiptSigningMarker, "1.2.840.113635.100.6.11.1"))
        },
        profiles(
            "leaf-may-not-sign", "the leaf's keyUsage lacks digitalSignature", .wrongPurpose,
            or: [.untrustedChain]
        ) {
            $0.leaf[CertificateExtension.keyUsageOID] = .keyUsage(.keyEncipherment)
        },
        HostileVariant(
            "leaf-signed-by-root", "no intermediate: the root signed the leaf", .wrongPurpose,
            or: [.untrustedChain]
        ) { recipe throws(ForgeError) in
            let root = recipe.authority.root
            recipe.authority.leaf = try Authority.Profiles.test().leaf.signed(by: root)
        },
        HostileVariant(
            "signed-by-intermediate", "the intermediate signed the receipt itself", .wrongPurpose,
            or: [.untrustedChain]
        ) { recipe in
            guard let intermediate = recipe.authority.intermediate else { return }
            let bag = recipe.authority.bag
            recipe.authority.leaf = intermediate
            recipe.editContainer { $0.certificates = bag }
        },
        HostileVariant(
            "signed-by-root", "the root signed the receipt itself", .wrongPurpose, or: [.untrustedChain]
        ) { recipe in
            let bag = recipe.authority.bag
            recipe.authority.leaf = recipe.authority.root
            recipe.editContainer { $0.certificates = bag }
        },
    ]
}
