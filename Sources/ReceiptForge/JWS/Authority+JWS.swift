extension Authority {
    /// Returns the default test authority with a P-256 leaf that can sign JWS. It has the root of
    /// ``test(_:)``, so one root certificate covers receipts and JWS. The same changes give the same bytes.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func testJWS(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = try Profiles.testJWS()
        try change(&profiles)
        return try profiles.signed()
    }

    /// Returns an authority like Apple's for JWS, with newly generated keys: P-384 for root and intermediate,
    /// P-256 for the leaf.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func appStoreJWS(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = Profiles(
            rootKey: try .generateEC(.p384), intermediateKey: try .generateEC(.p384),
            leafKey: try .generateEC(.p256))
        profiles.setDigest(.sha384)
        try change(&profiles)
        return try profiles.signed()
    }

    /// Returns an authority like Xcode's for JWS: one self-signed P-256 certificate. The same changes give
    /// the same bytes.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func storeKitTestJWS(
        _ change: (inout CertificateProfile) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        try .storeKitTest { profile throws(ForgeError) in
            profile.key = try TestKey.jwsStoreKit.key
            profile.subject.attributes[0].value += ", JWS"
            try change(&profile)
        }
    }
}

extension Authority.Profiles {
    static func testJWS() throws(ForgeError) -> Self {
        var profiles = try Self.test()
        profiles.leaf.key = try TestKey.jwsLeaf.key
        profiles.leaf.subject.attributes[0].value = "Receipt Forge Test JWS Signing, not Apple"
        profiles.leaf.serialNumber = BER.integerContent(0x7E57_0002)
        return profiles
    }
}
