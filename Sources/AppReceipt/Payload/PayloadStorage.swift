import ReceiptASN1

/// The bytes of a payload and the records read from them, shared by all values that expose the payload.
final class PayloadStorage: Sendable {
    let bytes: [UInt8]
    let app: AppRecord
    let purchases: [PurchaseRecord]
    /// The offsets in ``bytes`` of the attributes without a property: first the app's, then each purchase's.
    private let unknown: [UInt32]

    init(bytes: [UInt8], app: AppRecord, purchases: [PurchaseRecord], unknown: [UInt32]) {
        self.bytes = bytes
        self.app = app
        self.purchases = purchases
        self.unknown = unknown
    }

    /// Returns the text of a range, whose UTF-8 was validated when the payload was read.
    func text(_ slice: PayloadSlice) -> String? {
        guard let range = slice.range else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    func copy(_ slice: PayloadSlice) -> [UInt8]? {
        slice.range.map { Array(bytes[$0]) }
    }

    /// Reads attributes without a property again.
    /// - Parameter range: the range of a record's unknown attributes.
    func forEachUnknownAttribute(in range: Range<UInt32>, _ body: (ReceiptAttribute) -> Void) {
        let (bytes, offsets) = (bytes, unknown[Int(range.lowerBound)..<Int(range.upperBound)])
        for offset in offsets {
            // No error is possible, because the payload was read before.
            if let attribute = ReceiptAttribute(at: Int(offset), of: bytes.span) { body(attribute) }
        }
    }

    /// Reads the SET of attributes in `slice` again.
    @inline(__always)
    func forEachAttribute(in slice: PayloadSlice, _ body: (ReceiptAttribute) -> Void) {
        guard let range = slice.range else { return }
        let bytes = bytes
        var reader = ASN1Reader(bytes.span, in: range)
        // No error is possible, because the payload was read before.
        try? reader.constructed(.set) { (reader) throws(ASN1Error) in
            while !reader.isAtEnd { body(try ReceiptAttribute(reading: &reader, of: bytes.span)) }
        }
    }
}
