extension Authority {
    /// The default test authority with a leaf on P-256, which can sign JWS. The root is that of ``test(_:)``, so that
    /// one certificate vouches for receipts and JWS. Same changes, same bytes.
    public static func testJWS(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = try Profiles.testJWS()
        try change(&profiles)
        return try profiles.signed()
    }

    /// An authority in the shape of Apple's for JWS: P-384 above a leaf on P-256, with keys that nobody else has.
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

    /// What Xcode does for JWS: one self-signed certificate on P-256. Same changes, same bytes.
    public static func storeKitTestJWS(
        _ change: (inout CertificateProfile) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        try .storeKitTest { profile throws(ForgeError) in
            profile.key = try JWSKeys.storeKit.get()
            profile.subject.attributes[0].value += ", JWS"
            try change(&profile)
        }
    }
}

extension Authority.Profiles {
    static func testJWS() throws(ForgeError) -> Self {
        var profiles = try Self.test()
        profiles.leaf.key = try JWSKeys.leaf.get()
        profiles.leaf.subject.attributes[0].value = "Receipt Forge Test JWS Signing, not Apple"
        profiles.leaf.serialNumber = BER.integerContent(0x7E57_0002)
        return profiles
    }
}
