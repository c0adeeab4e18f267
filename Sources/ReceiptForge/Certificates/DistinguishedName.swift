/// An X.501 name: relative distinguished names of one attribute each, in order.
public struct DistinguishedName: Hashable, Sendable {
    public struct Attribute: Hashable, Sendable {
        public var type: OID
        public var value: String
        /// The string type's identifier octet, UTF8String unless changed.
        public var tag: UInt8

        public init(_ type: OID, _ value: String, tag: UInt8 = BER.Tag.utf8String) {
            (self.type, self.value, self.tag) = (type, value, tag)
        }
    }

    public var attributes: [Attribute]

    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    public init(
        commonName: String, organizationalUnit: String? = nil, organization: String? = nil,
        country: String? = nil
    ) {
        attributes = [Attribute([2, 5, 4, 3], commonName)]
        if let organizationalUnit { attributes.append(Attribute([2, 5, 4, 11], organizationalUnit)) }
        if let organization { attributes.append(Attribute([2, 5, 4, 10], organization)) }
        if let country { attributes.append(Attribute([2, 5, 4, 6], country, tag: BER.Tag.printableString)) }
    }

    /// The DER of Name.
    public var encoded: [UInt8] {
        BER.element(
            BER.Tag.sequence,
            attributes.flatMap { attribute in
                BER.set(of: [
                    BER.sequence(
                        attribute.type.encoded, BER.element(attribute.tag, Array(attribute.value.utf8)))
                ])
            })
    }
}
