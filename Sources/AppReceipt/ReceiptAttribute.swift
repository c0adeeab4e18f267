import ReceiptASN1

// ReceiptAttribute ::= SEQUENCE {
//     type    INTEGER,
//     version INTEGER,
//     value   OCTET STRING }
//
// The same structure carries the app's attributes and those of an in-app purchase. The value is primitive.

/// One attribute, its value not looked at.
struct ReceiptAttribute {
    let type: Int64
    let version: Int64
    let value: Range<Int>

    init(reading reader: inout ASN1Reader) throws(ASN1Error) {
        self = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let offset = reader.position
            let type = try reader.integer()
            guard type >= 0 else { throw ASN1Error(.integerOutOfRange, at: offset, path: "type") }
            return ReceiptAttribute(
                type: type, version: try reader.integer(), value: try reader.primitive(.octetString))
        }
    }

    private init(type: Int64, version: Int64, value: Range<Int>) {
        self.type = type
        self.version = version
        self.value = value
    }
}

/// Which attributes a set already held, so that a second one is an error and neither "first" nor "last" wins.
struct SeenAttributes {
    private var bits: UInt64 = 0

    /// - Parameter number: 0 to 63.
    mutating func insert(_ number: Int64, at offset: Int) throws(ASN1Error) {
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number & 63)
        guard bits & bit == 0 else { throw ASN1Error(.duplicate, at: offset) }
        bits |= bit
    }

    func contains(_ number: Int64) -> Bool { bits & 1 << UInt64(truncatingIfNeeded: number & 63) != 0 }
}
