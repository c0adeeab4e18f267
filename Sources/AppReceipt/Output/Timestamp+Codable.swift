extension Timestamp: Codable {
    /// Encodes ``rfc3339``, regardless of the encoder's date strategy.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }

    /// Decodes an RFC 3339 date-time.
    /// - Throws: `DecodingError` if the text is not one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let timestamp = Timestamp(rfc3339: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not an RFC 3339 date-time")
        }
        self = timestamp
    }
}
