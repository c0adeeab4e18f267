/// An element of `unknown` or `extra`: `{"type": 9, "version": 1, "value": "<hex>"}`.
private struct AttributeSpecification: Decodable {
    var attribute: ReceiptAttribute

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        var value: [UInt8]? = []
        try object.takeHex("value", &value)
        attribute = ReceiptAttribute(
            try object.required("type"), version: try object.value("version") ?? 1, value: value ?? [])
        try object.finish()
    }
}

extension SpecificationObject {
    struct Extra {
        var attributes: [ReceiptAttribute]
        var omitted: Set<Int>
        /// Whether attribute 8 follows the creation date by default, because `unknown` is absent.
        var followsCreation: Bool
    }

    mutating func otherAttributes(_ usual: inout [ReceiptAttribute]) throws -> Extra {
        let unknown: [AttributeSpecification]? = try value("unknown")
        if let unknown { usual = unknown.map(\.attribute) }
        let extra: [AttributeSpecification] = try value("extra") ?? []
        let omitted: [Int] = try value("omit") ?? []
        return Extra(
            attributes: extra.map(\.attribute), omitted: Set(omitted), followsCreation: unknown == nil)
    }
}
