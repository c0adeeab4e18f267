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
    /// Sets the attributes without a property, and the types to omit.
    mutating func takeAttributes(_ others: inout [ReceiptAttribute], _ omitted: inout Set<Int>) throws {
        if let unknown: [AttributeSpecification] = try value("unknown") { others = unknown.map(\.attribute) }
        let extra: [AttributeSpecification] = try value("extra") ?? []
        others += extra.map(\.attribute)
        omitted = Set(try value("omit") ?? [])
    }
}
