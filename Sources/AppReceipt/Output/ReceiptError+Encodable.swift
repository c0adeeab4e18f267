extension ReceiptError: Encodable {
    private enum CodingKeys: String, CodingKey { case code, message, offset, field }

    /// Encodes the object `refusal` of the JSON contract. Absent values are null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode(offset, forKey: .offset)
        try container.encode(field, forKey: .field)
    }
}

extension ReceiptError.Code: Codable {}
