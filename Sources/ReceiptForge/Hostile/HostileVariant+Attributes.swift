// Malformed attributes, and types that overflow to other types.
extension HostileVariant {
    static let attributes: [HostileVariant] = [
        elements("attribute-integer", "an INTEGER among the attributes") { $0.append(BER.integer(7)) },
        elements("attribute-empty", "an attribute without fields") { $0.append(BER.sequence()) },
        elements("attribute-two-fields", "an attribute without a value") {
            $0.append(BER.sequence(BER.integer(99), BER.integer(1)))
        },
        elements("attribute-constructed-value", "a value in chunks", or: [.genuine]) {
            $0.append(
                BER.sequence(
                    BER.integer(99), BER.integer(1), BER.chunkedOctetString(BER.null, chunkSize: 1)))
        },
        elements("attribute-text-type", "a string instead of the type") {
            $0.append(BER.sequence(BER.utf8String("2"), BER.integer(1), BER.octetString(BER.null)))
        },
        elements("attribute-empty-type", "an empty INTEGER as the type") {
            $0.append(
                BER.sequence(
                    BER.element(BER.Tag.integer, []), BER.integer(1), BER.octetString(BER.null)))
        },
        content("attribute-four-fields", "an attribute with a fourth field") {
            var attribute = ReceiptAttribute.utf8String(99, "three")
            attribute.extraFields = BER.octetString(BER.utf8String("four"))
            $0.otherAttributes.append(attribute)
        },
        otherType("type-2-to-32-plus-2", [1, 0, 0, 0, 2], "type 2^32 + 2", .genuine),
        otherType("type-2-to-64-plus-2", [1, 0, 0, 0, 0, 0, 0, 0, 2], "type 2^64 + 2", .malformed),
        otherType("type-minus-2", [0xFE], "type -2", .malformed),
        otherType("type-258-as-2", [1, 2], "type 258, whose last byte is 2", .genuine),
        added("receipt-type-twice", "two receipt types", .utf8String(0, "ProductionSandbox")),
        added(
            "opaque-value-twice", "two opaque values",
            ReceiptAttribute(4, version: 2, value: Array(repeating: 7, count: 16))),
        added(
            "device-hash-twice", "two device hashes",
            ReceiptAttribute(5, value: Array(repeating: 7, count: 20))),
        content("app-id-2-to-64-plus-1", "an app id that wraps to 1") {
            $0.appItemID = nil
            $0.otherAttributes.append(
                ReceiptAttribute(1, value: BER.element(BER.Tag.integer, [1, 0, 0, 0, 0, 0, 0, 0, 1])))
        },
        content("app-id-text", "letters in an app id") {
            $0.appItemID = nil
            $0.otherAttributes.append(.utf8String(1, "1450218337"))
        },
        content("opaque-value-empty", "an empty opaque value", .genuine, or: [.malformed]) {
            $0.opaqueValue = []
        },
    ]

    /// Makes a variant that changes the encoded attributes, which are then sorted again.
    private static func elements(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[[UInt8]]>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            var elements = try recipe.content.attributes().map(\.encoded)
            try edit(&elements)
            let payload = BER.set(of: elements)
            recipe.editPayload { $0 = payload }
        }
    }

    /// Makes a variant with another bundle ID under a type that a careless reader takes for 2. A verifier may
    /// keep it as an unknown attribute or refuse the receipt, but must never use it as the bundle ID.
    private static func otherType(
        _ id: String, _ type: [UInt8], _ summary: String, _ expected: Answer
    ) -> HostileVariant {
        let value = BER.utf8String("com.example.other")
        return added(
            id, summary + " with another bundle id", ReceiptAttribute(typeContent: type, value: value),
            expected, or: [.genuine, .malformed])
    }
}
