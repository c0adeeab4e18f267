import CForgeCrypto

/// A key of `test-keys.pem`. Committed keys make forging fast and reproducible.
///
/// The keys are public and protect nothing. Never issue a certificate for them that any verifier trusts.
enum TestKey: String {
    /// The RSA keys of the default test authority.
    case root, intermediate, leaf
    /// The RSA key that signs receipts in place of Xcode's.
    case storeKit
    /// The attacker's RSA key.
    case attacker
    /// An RSA key that is too short, one with the public exponent 3, and one with 4,096 bits.
    case rsa1024, exponent3, rsa4096
    /// A key on P-256 that signs no JWS.
    case p256
    /// The P-256 keys that sign JWS: the App Store's, Xcode's and the attacker's.
    case jwsLeaf, jwsStoreKit, jwsAttacker
    /// The P-384 keys of a chain like Apple's.
    case p384Root, p384Intermediate

    /// The private key.
    var key: PrivateKey {
        get throws(ForgeError) {
            guard let key = Self.keys[rawValue] else {
                throw .crypto(operation: "test key", reason: "\(rawValue) is missing")
            }
            return try key.get()
        }
    }

    /// The keys by name. Each result keeps its error for the caller that uses the key.
    private static let keys: [String: Result<PrivateKey, ForgeError>] = {
        // The first block is a note. Each of the others is a name and a PEM.
        let blocks = unsafe String(cString: forge_test_keys()).split(separator: "\n\n")
        let keys = blocks.dropFirst().map { block in
            let parts = block.split(separator: "\n", maxSplits: 1).map(String.init)
            return (parts[0], Result { () throws(ForgeError) in try PrivateKey(pem: parts[1]) })
        }
        return Dictionary(uniqueKeysWithValues: keys)
    }()
}
