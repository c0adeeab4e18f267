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

    func unknownAttributes(in slice: PayloadSlice, known: (Int64) -> Bool) -> [UnknownAttribute] {
        guard let range = slice.range else { return [] }
        let bytes = self.bytes
        return PayloadReader.unknownAttributes(of: bytes.span, in: range, known: known)
    }
}
