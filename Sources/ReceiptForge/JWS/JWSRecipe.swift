/// The inputs of a compact JWS as the App Store signs it: payload, authority, header, signer, and edits of
/// the steps.
///
/// ```swift
/// var recipe = JWSRecipe(.transaction, authority: try .testJWS())
/// recipe.payload["environment"] = #""Production""#
/// let jws = try recipe.forge()
/// ```
public struct JWSRecipe: Sendable {
    /// The authority whose certificates the header contains. Setting it replaces `x5c`.
    public var authority: Authority { didSet { header["x5c"] = Self.x5c(of: authority) } }
    /// The root to trust in DER, or nil for the authority's own.
    public var anchor: [UInt8]?
    /// The signed payload.
    public var payload: JSONMembers
    /// The header, by default with `alg` and `x5c`.
    public var header: JSONMembers
    /// The signing key, or nil for the key of the authority's leaf.
    public var signer: PrivateKey?
    /// An edit of the header's bytes before they are signed.
    public var editHeader: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of the payload's bytes before they are signed.
    public var editPayload: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of r and s, 32 bytes each.
    public var editSignature: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of the finished text.
    public var editText: ReceiptRecipe.Edit<String>?

    /// Creates a recipe for a valid JWS of this payload.
    public init(_ payload: JSONMembers = .transaction, authority: Authority) {
        self.authority = authority
        self.payload = payload
        header = JSONMembers([("alg", "\"ES256\""), ("x5c", Self.x5c(of: authority))])
    }

    private static func x5c(of authority: Authority) -> String {
        x5c(of: authority.bag.map { Base64.text($0) })
    }

    static func x5c(of texts: [String]) -> String {
        "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    mutating func setCertificates(_ certificates: [[UInt8]]) {
        header["x5c"] = Self.x5c(of: certificates.map { Base64.text($0) })
    }

    /// Returns the compact JWS.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that an edit throws.
    public func forge() throws(ForgeError) -> String {
        var head = Array(header.text.utf8)
        try editHeader?(&head)
        var bytes = Array(payload.text.utf8)
        try editPayload?(&bytes)
        let input = Base64.text(head, urlSafe: true) + "." + Base64.text(bytes, urlSafe: true)
        var signature = try Self.es256(Array(input.utf8), key: signer ?? authority.leaf.key)
        try editSignature?(&signature)
        var text = input + "." + Base64.text(signature, urlSafe: true)
        try editText?(&text)
        return text
    }

    /// Returns r and s, 32 bytes each (RFC 7518, 3.4).
    /// - Parameters:
    ///   - bytes: The bytes to sign.
    ///   - key: A P-256 key.
    ///   - digest: The digest, which is SHA-256 except in some tests.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public static func es256(
        _ bytes: [UInt8], key: PrivateKey, digest: Digest = .sha256
    ) throws(ForgeError) -> [UInt8] {
        // Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }, whose integers have one length octet each.
        let der = try key.sign(bytes, digest: digest)
        let header = der[1] < 0x80 ? 2 : 3
        let rCount = Int(der[header + 1])
        let numbers = [der[(header + 2)..<(header + 2 + rCount)], der[(header + 4 + rCount)...]]
        return numbers.flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
        }
    }
}

extension Base64 {
    static func text(_ bytes: [UInt8], urlSafe: Bool = false) -> String {
        String(decoding: encode(bytes, urlSafe: urlSafe), as: UTF8.self)
    }
}
