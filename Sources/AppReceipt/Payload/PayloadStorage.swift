import ReceiptASN1

/// The bytes of a payload and the records read from them, shared by everything that shows the payload.
final class PayloadStorage: Sendable {
    let bytes: [UInt8]
    let app: AppRecord
    let purchases: [PurchaseRecord]

    init(bytes: [UInt8], app: AppRecord, purchases: [PurchaseRecord]) {
        self.bytes = bytes
        self.app = app
        self.purchases = purchases
    }

    /// UTF-8 was checked when the payload was read.
    func text(_ slice: PayloadSlice) -> String? {
        guard let range = slice.range else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    func copy(_ slice: PayloadSlice) -> [UInt8]? {
        slice.range.map { Array(bytes[$0]) }
    }

    /// Reads the SET of attributes in `slice` once more.
    @inline(__always)
    func forEachAttribute(in slice: PayloadSlice, _ body: (ReceiptAttribute) -> Void) {
        guard let range = slice.range else { return }
        let bytes = bytes
        Self.forEachAttribute(of: bytes.span, in: range, body)
    }

    @inline(__always)
    private static func forEachAttribute(
        of bytes: Span<UInt8>, in range: Range<Int>, _ body: (ReceiptAttribute) -> Void
    ) {
        var reader = ASN1Reader(bytes, in: range)
        // It was read without error when the payload was decoded.
        try? reader.constructed(.set) { (reader) throws(ASN1Error) in
            while !reader.isAtEnd { body(try ReceiptAttribute(reading: &reader, of: bytes)) }
        }
    }
}
