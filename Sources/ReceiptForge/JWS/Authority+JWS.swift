extension Authority {
    /// An authority in the shape of Apple's for JWS: P-384 above a leaf on P-256, with keys that nobody else has.
    public static func appStoreJWS(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = Profiles(
            rootKey: try .generateEC(.p384), intermediateKey: try .generateEC(.p384),
            leafKey: try .generateEC(.p256))
        for certificate in [\Profiles.root, \.intermediate, \.leaf] {
            profiles[keyPath: certificate].digest = .sha384
        }
        try change(&profiles)
        return try profiles.signed()
    }

    /// What Xcode does for JWS: one self-signed certificate on P-256.
    public static func storeKitTestJWS() throws(ForgeError) -> Authority {
        let key = try PrivateKey.generateEC(.p256)
        return try .storeKitTest { $0.key = key }
    }
}
