extension CertificateFacts: Encodable {
    private enum CodingKeys: String, CodingKey {
        case subject, issuer, serial, notBefore = "not_before", notAfter = "not_after", sha256
    }

    /// Encodes the certificate object of the JSON contract.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(subject, forKey: .subject)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(serialNumber, forKey: .serial)
        try container.encode(notBefore, forKey: .notBefore)
        try container.encode(notAfter, forKey: .notAfter)
        try container.encode(hexadecimal(sha256), forKey: .sha256)
    }
}
