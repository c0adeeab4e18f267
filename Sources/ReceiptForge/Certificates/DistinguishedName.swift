/// An X.501 name: relative distinguished names of one attribute each, in order.
public struct DistinguishedName: Hashable, Sendable {
    /// One part of a name.
    public struct Attribute: Hashable, Sendable {
        /// Which part it is, for example 2.5.4.3, the common name.
        public var type: OID
        /// The text.
        public var value: String
        /// The string type's identifier octet, UTF8String unless changed.
        public var tag: UInt8

        /// A part of this type; the text is encoded under the tag.
        public init(_ type: OID, _ value: String, tag: UInt8 = BER.Tag.utf8String) {
            (self.type, self.value, self.tag) = (type, value, tag)
        }
    }

    /// The parts, in the order in which they are encoded.
    public var attributes: [Attribute]

    /// A name of these parts.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// A name as Apple's certificates have them; parts that are nil are left out.
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
