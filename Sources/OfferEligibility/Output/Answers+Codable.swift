import AppReceipt

extension OfferKind: Codable {}
extension OfferOutcome: Codable {}
extension OfferCertainty: Codable {}
extension OfferCaveat: Codable {}
extension SubscriptionState.Kind: Codable {}

extension OfferRuleID: Codable {
    /// Encodes ``name``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// Decodes a rule by its ``name``.
    ///
    /// - Throws: `DecodingError` if no rule has that name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let rule = Self.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no rule of that name")
        }
        self = rule
    }
}

extension SubscriptionState: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind = "state", productID = "product_id", since, until
    }

    /// Encodes the object `subscription` of the JSON contract. Absent values are null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(productID, forKey: .productID)
        try container.encode(since, forKey: .since)
        try container.encode(until, forKey: .until)
    }

    /// Decodes the object `subscription` of the JSON contract.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        productID = try container.decodeIfPresent(String.self, forKey: .productID)
        since = try container.decodeIfPresent(Timestamp.self, forKey: .since)
        until = try container.decodeIfPresent(Timestamp.self, forKey: .until)
    }
}
