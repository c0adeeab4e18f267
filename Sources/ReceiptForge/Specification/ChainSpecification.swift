/// The `authority` and `chain` objects: the signer, and the contents of the certificates.
struct ChainSpecification {
    enum Signer: String, CaseIterable {
        case test
        case storeKitTest = "storekit_test"
        /// An attacker's authority with the test authority's names and other keys.
        case stranger
    }

    var signer: Signer?
    private var root = CertificateChanges()
    private var intermediate = CertificateChanges()
    private var leaf = CertificateChanges()

    mutating func read(_ object: inout SpecificationObject) throws {
        if object.contains("signer") { signer = try object.named("signer") ?? signer ?? .test }
        try object.nested("root") { try root.read(&$0) }
        try object.nested("intermediate") { try intermediate.read(&$0) }
        try object.nested("leaf") { try leaf.read(&$0) }
    }

    /// Returns the authority. The changes of this entry apply after those that all entries share.
    func authority(
        over shared: ChainSpecification, for format: SignedFormat = .receipt
    ) throws(ForgeError) -> Authority {
        let signer = self.signer ?? shared.signer ?? .test
        if signer == .storeKitTest {
            func change(_ profile: inout CertificateProfile) {
                shared.leaf.apply(to: &profile, marker: nil)
                leaf.apply(to: &profile, marker: nil)
            }
            return try format == .jws ? .storeKitTestJWS(change) : .storeKitTest(change)
        }
        var profiles = try format == .jws ? Authority.Profiles.testJWS() : .test()
        if signer == .stranger { try profiles.setAttacker(signsJWS: format == .jws) }
        if format == .oldTransactionReceipt { try profiles.makeOld() }
        for changes in [shared, self] {
            changes.root.apply(to: &profiles.root, marker: nil)
            changes.intermediate.apply(to: &profiles.intermediate, marker: format.intermediateMarker)
            changes.leaf.apply(to: &profiles.leaf, marker: format.leafMarker)
        }
        return try profiles.signed()
    }
}

extension Authority.Profiles {
    fileprivate mutating func makeOld() throws(ForgeError) {
        leaf.key = try TestKey.rsa1024.key
        leaf[.receiptSigningMarker] = .marker(.oldReceiptSigningMarker)
        intermediate[.developerRelationsMarker] = .marker(.oldStoreMarker)
    }
}

/// The changes that a specification makes to one certificate.
private struct CertificateChanges {
    private var commonName: String?
    private var serialNumber: UInt64?
    private var notBefore: String?
    private var notAfter: String?
    private var digest: Digest?
    private var hasMarker = true

    mutating func read(_ object: inout SpecificationObject) throws {
        try object.take("common_name", &commonName)
        try object.takeIdentifier("serial_number", &serialNumber)
        try object.takeValidDate("not_before", &notBefore)
        try object.takeValidDate("not_after", &notAfter)
        if object.contains("digest") { digest = try object.named("digest") ?? .sha256 }
        try object.take("marker", &hasMarker)
    }

    func apply(to profile: inout CertificateProfile, marker: OID?) {
        if let commonName { profile.subject.attributes[0].value = commonName }
        if let serialNumber { profile.serialNumber = BER.integerContent(serialNumber) }
        if let notBefore { profile.notBefore = notBefore }
        if let notAfter { profile.notAfter = notAfter }
        if let digest { profile.digest = digest }
        if !hasMarker, let marker { profile[marker] = nil }
    }
}
