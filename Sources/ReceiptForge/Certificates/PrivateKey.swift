internal import CForgeCrypto

/// A private key for RSA or an elliptic curve. Made once, never changed, usable from any thread.
///
/// Throws ``ForgeError/crypto(operation:reason:)`` where libcrypto refuses.
@safe
public final class PrivateKey: Sendable {
    // Never changed after it was made; libcrypto's key operations are thread-safe.
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The DER of SubjectPublicKeyInfo (RFC 5280).
    public let subjectPublicKeyInfo: [UInt8]

    private init(
        _ operation: String, _ make: (UnsafeMutablePointer<OpaquePointer?>) -> UInt64
    ) throws(ForgeError) {
        var made: OpaquePointer?
        try unsafe check(make(&made), operation)
        guard let key = unsafe made else { throw .crypto(operation: operation, reason: "no key") }
        do throws(ForgeError) {
            subjectPublicKeyInfo = try unsafe cryptoOutput("public key", capacity: 16_384) { output, count in
                unsafe forge_key_public(key, output, &count)
            }
        } catch {
            unsafe forge_key_free(key)
            throw error
        }
        unsafe handle = unsafe key
    }

    deinit { unsafe forge_key_free(handle) }

    /// A new RSA key.
    ///
    /// - Parameters:
    ///   - bits: size of the modulus, 512 to 16,384.
    ///   - exponent: the public exponent: odd, 3 or more.
    public static func generateRSA(bits: Int = 2048, exponent: UInt32 = 65537) throws(ForgeError)
        -> PrivateKey
    {
        try unsafe PrivateKey("generate RSA key") { key in
            unsafe forge_key_generate_rsa(UInt32(clamping: bits), exponent, key)
        }
    }

    /// An elliptic curve of NIST's.
    public enum Curve: UInt32, Sendable {
        /// NIST P-256.
        case p256 = 256
        /// NIST P-384.
        case p384 = 384
    }

    /// A new key on an elliptic curve.
    public static func generateEC(_ curve: Curve = .p256) throws(ForgeError) -> PrivateKey {
        try unsafe PrivateKey("generate EC key") { key in unsafe forge_key_generate_ec(curve.rawValue, key) }
    }

    /// Reads an unencrypted private key: PKCS#8, PEM or DER.
    public convenience init(importing bytes: [UInt8]) throws(ForgeError) {
        try unsafe self.init("import private key") { key in unsafe forge_key_import(bytes, bytes.count, key) }
    }

    /// Reads an unencrypted private key in PEM.
    public convenience init(pem: String) throws(ForgeError) { try self.init(importing: Array(pem.utf8)) }

    /// PKCS#8 in DER.
    public func pkcs8() throws(ForgeError) -> [UInt8] { try exported(asPEM: false) }

    /// PKCS#8 in PEM.
    public func pem() throws(ForgeError) -> String {
        String(decoding: try exported(asPEM: true), as: UTF8.self)
    }

    private func exported(asPEM: Bool) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("export private key", capacity: 65_536) { output, count in
            unsafe forge_key_export(handle, asPEM ? 1 : 0, output, &count)
        }
    }

    /// Whether it is an RSA key, not one on an elliptic curve.
    public var isRSA: Bool { unsafe forge_key_is_rsa(handle) != 0 }

    /// Size of the modulus or of the curve's order, in bits.
    public var bits: Int { Int(unsafe forge_key_bits(handle)) }

    /// Signs the digest of bytes: PKCS#1 v1.5 or PSS with an RSA key, ECDSA otherwise.
    ///
    /// The same bytes give the same signature: PSS is written with an empty salt, ECDSA after RFC 6979.
    public func sign(
        _ bytes: [UInt8], digest: Digest = .sha256, scheme: SignatureScheme = .pkcs1
    ) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("sign", capacity: 2_048) { output, count in
            guard isRSA else {
                return unsafe forge_sign_ecdsa(handle, digest.kind, bytes, bytes.count, output, &count)
            }
            let padding = scheme == .pss ? FORGE_PADDING_PSS : FORGE_PADDING_DEFAULT
            return unsafe forge_sign(handle, digest.kind, padding, bytes, bytes.count, output, &count)
        }
    }

    /// RSA without padding: the block, as long as the modulus, to the power of the private exponent.
    public func rawSign(_ block: [UInt8]) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("raw RSA", capacity: 2_048) { output, count in
            unsafe forge_rsa_private(handle, block, block.count, output, &count)
        }
    }
}

/// How RSA signatures are padded. Keys on elliptic curves don't care.
public enum SignatureScheme: Hashable, Sendable {
    /// PKCS #1 v1.5 (RFC 8017, 8.2), as Apple signs.
    case pkcs1
    /// PSS (RFC 8017, 8.1), which no receipt has.
    case pss
}

/// The smallest number whose cube is `block` or more, both big-endian and equally long: a signature
/// under a public exponent of 3 that shows the block's first bytes without knowing the key.
func cubeRoot(_ block: [UInt8]) throws(ForgeError) -> [UInt8] {
    try unsafe cryptoOutput("cube root", capacity: block.count) { output, count in
        unsafe forge_cube_root(block, block.count, output, &count)
    }
}
