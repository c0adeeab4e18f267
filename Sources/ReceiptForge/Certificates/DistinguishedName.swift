/// An X.501 name: relative distinguished names of one attribute each, in order.
public struct DistinguishedName: Hashable, Sendable {
    /// One attribute of a name.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's type, for example 2.5.4.3 for the common name.
        public var type: OID
        /// The attribute's text.
        public var value: String
        /// The identifier octet of the string type. The default is UTF8String.
        public var tag: UInt8

        /// Creates an attribute of this type. The text is encoded under the tag.
        public init(_ type: OID, _ value: String, tag: UInt8 = BER.Tag.utf8String) {
            (self.type, self.value, self.tag) = (type, value, tag)
        }
    }

    /// The attributes, in encoding order.
    public var attributes: [Attribute]

    /// Creates a name from attributes.
    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// Creates a name like those in Apple's certificates. Nil parts are omitted.
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
