/// AlgorithmIdentifiers for signatures (RFC 3279, 4055, 5758).
public enum SignatureAlgorithm {
    /// The DER of `rsaEncryption`, which Apple writes in SignerInfo for PKCS #1 v1.5.
    public static let rsaEncryption = BER.sequence(([1, 2, 840, 113549, 1, 1, 1] as OID).encoded, BER.null)

    /// Returns the DER of the algorithm for a signature by this key: `…WithRSAEncryption` or `ecdsa-with-…`.
    public static func identifier(for key: PrivateKey, digest: Digest) -> [UInt8] {
        key.isRSA
            ? BER.sequence(rsaOID(digest).encoded, BER.null)
            : BER.sequence(ecdsaOID(digest).encoded)
    }

    /// Returns the DER of `id-RSASSA-PSS` with this digest, MGF1 with the same digest, and an empty salt.
    public static func pss(_ digest: Digest) -> [UInt8] {
        let mgf1: OID = [1, 2, 840, 113549, 1, 1, 8]
        let parameters = BER.sequence(
            BER.element(BER.Tag.context(0), digest.algorithmIdentifier),
            BER.element(BER.Tag.context(1), BER.sequence(mgf1.encoded, digest.algorithmIdentifier)),
            BER.element(BER.Tag.context(2), BER.integer(0)))
        return BER.sequence(([1, 2, 840, 113549, 1, 1, 10] as OID).encoded, parameters)
    }

    static func rsaOID(_ digest: Digest) -> OID {
        switch digest {
        case .md5: [1, 2, 840, 113549, 1, 1, 4]
        case .sha1: [1, 2, 840, 113549, 1, 1, 5]
        case .sha256: [1, 2, 840, 113549, 1, 1, 11]
        case .sha384: [1, 2, 840, 113549, 1, 1, 12]
        case .sha512: [1, 2, 840, 113549, 1, 1, 13]
        }
    }

    /// Returns the OID of ECDSA with this digest. No standard combines ECDSA with MD5, so MD5 uses SHA-1's
    /// OID.
    static func ecdsaOID(_ digest: Digest) -> OID {
        switch digest {
        case .md5, .sha1: [1, 2, 840, 10045, 4, 1]
        case .sha256: [1, 2, 840, 10045, 4, 3, 2]
        case .sha384: [1, 2, 840, 10045, 4, 3, 3]
        case .sha512: [1, 2, 840, 10045, 4, 3, 4]
        }
    }
}
