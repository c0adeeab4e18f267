/// `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
public struct ReceiptAttribute: Hashable, Sendable {
    /// The content octets of the type, so that a test can forge numbers beyond any integer type.
    public var type: [UInt8]
    /// The attribute's version, which is 1 in most receipts.
    public var version: Int
    /// The content of the OCTET STRING: a DER value, or raw bytes for types 4 to 7.
    public var value: [UInt8]
    /// Damage: elements after the value, inside the SEQUENCE.
    public var extraFields: [UInt8] = []

    /// Creates an attribute of this type with any value.
    public init(_ type: Int, version: Int = 1, value: [UInt8]) {
        self.init(typeContent: BER.integerContent(type), version: version, value: value)
    }

    /// Creates an attribute from the content octets of its type.
    public init(typeContent: [UInt8], version: Int = 1, value: [UInt8]) {
        (self.type, self.version, self.value) = (typeContent, version, value)
    }

    /// Returns an attribute of this type with a UTF8String as its value.
    public static func utf8String(_ type: Int, _ text: String) -> Self {
        Self(type, value: BER.utf8String(text))
    }

    /// Returns an attribute of this type with an IA5String as its value.
    public static func ia5String(_ type: Int, _ text: String) -> Self {
        Self(type, value: BER.ia5String(text))
    }

    /// Returns an attribute of this type with an INTEGER as its value.
    public static func integer(_ type: Int, _ number: some BinaryInteger) -> Self {
        Self(type, value: BER.integer(number))
    }

    /// The DER encoding of the attribute.
    public var encoded: [UInt8] {
        BER.sequence(
            BER.element(BER.Tag.integer, type), BER.integer(version), BER.octetString(value), extraFields)
    }

    /// Returns a SET of attributes.
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
