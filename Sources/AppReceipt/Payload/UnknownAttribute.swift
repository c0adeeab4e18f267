/// An attribute whose meaning is not confirmed, with its signed bytes.
public struct UnknownAttribute: Hashable, Sendable {
    /// The number of the attribute's type.
    public let type: Int64
    /// The attribute's version, 1 in most receipts.
    public let version: Int64
    /// The content of the attribute's OCTET STRING.
    public let value: [UInt8]
}

extension UnknownAttribute {
    init(_ attribute: ReceiptAttribute, of bytes: [UInt8]) {
        self.init(type: attribute.type, version: attribute.version, value: Array(bytes[attribute.value]))
    }
}
