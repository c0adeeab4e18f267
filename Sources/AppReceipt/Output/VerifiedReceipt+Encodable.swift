extension VerifiedReceipt: Encodable {
    private enum CodingKeys: String, CodingKey {
        case contentSHA256 = "content_sha256"
        case status, realm, environment, signature, receipt
    }

    private enum SignatureKeys: String, CodingKey {
        case digest, verifiedAt = "verified_at", chain
    }

    /// Encodes the object of a genuine receipt in the JSON contract. It omits `source` and `sha256`, which
    /// describe the input. The type is not `Decodable`, because only a verifier creates verified receipts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal(contentDigest), forKey: .contentSHA256)
        try container.encode("genuine", forKey: .status)
        try container.encode(realm, forKey: .realm)
        try container.encode(payload.environment, forKey: .environment)
        var signature = container.nestedContainer(keyedBy: SignatureKeys.self, forKey: .signature)
        try signature.encode(digestAlgorithm, forKey: .digest)
        try signature.encode(verifiedAt, forKey: .verifiedAt)
        try signature.encode(certificates, forKey: .chain)
        try container.encode(payload, forKey: .receipt)
    }
}

extension TrustRealm: Codable {}
extension ReceiptEnvironment: Codable {}
extension DigestAlgorithm: Codable {}
