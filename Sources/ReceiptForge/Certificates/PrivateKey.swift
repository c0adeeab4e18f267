internal import CForgeCrypto

/// An RSA or elliptic curve private key. It is immutable, and any thread may use it.
///
/// Its methods throw ``ForgeError/crypto(operation:reason:)`` if libcrypto fails.
@safe
public final class PrivateKey: Sendable {
    // The handle never changes after creation, and libcrypto's key operations are thread-safe.
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

    /// Generates a new RSA key.
    ///
    /// - Parameters:
    ///   - bits: The size of the modulus in bits, from 512 to 16,384.
    ///   - exponent: The public exponent, an odd number of at least 3.
    public static func generateRSA(bits: Int = 2048, exponent: UInt32 = 65537) throws(ForgeError)
        -> PrivateKey
    {
        try unsafe PrivateKey("generate RSA key") { key in
            unsafe forge_key_generate_rsa(UInt32(clamping: bits), exponent, key)
        }
    }

    /// A NIST elliptic curve.
    public enum Curve: UInt32, Sendable {
        /// NIST P-256.
        case p256 = 256
        /// NIST P-384.
        case p384 = 384
    }

    /// Generates a new key on an elliptic curve.
    public static func generateEC(_ curve: Curve = .p256) throws(ForgeError) -> PrivateKey {
        try unsafe PrivateKey("generate EC key") { key in unsafe forge_key_generate_ec(curve.rawValue, key) }
    }

    /// Reads an unencrypted PKCS #8 private key in PEM or DER.
    public convenience init(importing bytes: [UInt8]) throws(ForgeError) {
        try unsafe self.init("import private key") { key in unsafe forge_key_import(bytes, bytes.count, key) }
    }

    /// Reads an unencrypted private key in PEM.
    public convenience init(pem: String) throws(ForgeError) { try self.init(importing: Array(pem.utf8)) }

    /// Returns the key as PKCS #8 in DER.
    public func pkcs8() throws(ForgeError) -> [UInt8] { try exported(asPEM: false) }

    /// Returns the key as PKCS #8 in PEM.
    public func pem() throws(ForgeError) -> String {
        String(decoding: try exported(asPEM: true), as: UTF8.self)
    }

    private func exported(asPEM: Bool) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("export private key", capacity: 65_536) { output, count in
            unsafe forge_key_export(handle, asPEM ? 1 : 0, output, &count)
        }
    }

    /// Whether the key is an RSA key and not an elliptic curve key.
    public var isRSA: Bool { unsafe forge_key_is_rsa(handle) != 0 }

    /// The size of the modulus or of the curve's order, in bits.
    public var bits: Int { Int(unsafe forge_key_bits(handle)) }

    /// Signs the digest of bytes: with PKCS #1 v1.5 or PSS for an RSA key, otherwise with ECDSA.
    ///
    /// Signatures are deterministic: PSS uses an empty salt, and ECDSA follows RFC 6979.
    public func sign(
        _ bytes: [UInt8], digest: Digest = .sha256, scheme: SignatureScheme = .pkcs1
    ) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("sign", capacity: 2_048) { output, count in
            unsafe forge_sign(
                handle, digest.rawValue, scheme == .pss ? 1 : 0, bytes, bytes.count, output, &count)
        }
    }

    /// Returns the RSA private-key operation on `block` without padding. The block must be as long as the
    /// modulus.
    public func rawSign(_ block: [UInt8]) throws(ForgeError) -> [UInt8] {
        try unsafe cryptoOutput("raw RSA", capacity: 2_048) { output, count in
            unsafe forge_rsa_private(handle, block, block.count, output, &count)
        }
    }
}

/// Returns the smallest number whose cube is at least `block`, both big-endian and of equal length. With a
/// public exponent of 3, it is a signature that yields the block's first bytes without the private key.
func cubeRoot(_ block: [UInt8]) throws(ForgeError) -> [UInt8] {
    try unsafe cryptoOutput("cube root", capacity: block.count) { output, count in
        unsafe forge_cube_root(block, block.count, output, &count)
    }
}
