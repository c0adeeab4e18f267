/// `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
public struct ReceiptAttribute: Hashable, Sendable {
    /// The content octets of the type, so that numbers beyond any integer type can be forged.
    public var type: [UInt8]
    /// The attribute's version, 1 in most receipts.
    public var version: Int
    /// What the OCTET STRING holds: one more DER value, or raw bytes for types 4 to 7.
    public var value: [UInt8]
    /// Damage: elements behind the value, inside the SEQUENCE.
    public var extraFields: [UInt8] = []

    /// An attribute of this type with any value.
    public init(_ type: Int, version: Int = 1, value: [UInt8]) {
        self.init(typeContent: BER.integerContent(type), version: version, value: value)
    }

    /// An attribute whose type is given by its content octets.
    public init(typeContent: [UInt8], version: Int = 1, value: [UInt8]) {
        (self.type, self.version, self.value) = (typeContent, version, value)
    }

    /// An attribute of this type whose value is a UTF8String.
    public static func utf8String(_ type: Int, _ text: String) -> Self {
        Self(type, value: BER.utf8String(text))
    }

    /// An attribute of this type whose value is an IA5String.
    public static func ia5String(_ type: Int, _ text: String) -> Self {
        Self(type, value: BER.ia5String(text))
    }

    /// An attribute of this type whose value is an INTEGER.
    public static func integer(_ type: Int, _ number: some BinaryInteger) -> Self {
        Self(type, value: BER.integer(number))
    }

    /// The attribute in DER.
    public var encoded: [UInt8] {
        BER.sequence(
            BER.element(BER.Tag.integer, type), BER.integer(version), BER.octetString(value), extraFields)
    }

    /// A SET of attributes.
    static func set(_ attributes: [ReceiptAttribute], sorted: Bool) -> [UInt8] {
        let elements = attributes.map(\.encoded)
        return sorted ? BER.set(of: elements) : BER.element(BER.Tag.set, BER.concatenated(elements))
    }
}

extension [ReceiptAttribute] {
    func leavingOut(_ types: Set<Int>) -> Self {
        guard !types.isEmpty else { return self }
        let contents = Set(types.map { BER.integerContent($0) })
        return filter { !contents.contains($0.type) }
    }
}
