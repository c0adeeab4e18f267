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

/// A stretch of the payload, or nothing.
struct PayloadSlice: Sendable {
    private let offset: UInt32
    private let count: UInt32

    static let absent = PayloadSlice(offset: 0, count: .max)

    private init(offset: UInt32, count: UInt32) {
        self.offset = offset
        self.count = count
    }

    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.count)
    }

    var range: Range<Int>? {
        count == .max ? nil : Int(offset)..<Int(offset) + Int(count)
    }
}

/// A date, or nothing, in the eight bytes of the date.
struct PayloadDate: Sendable {
    private let milliseconds: Int64

    static let absent = PayloadDate(milliseconds: .min)

    private init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init(_ timestamp: Timestamp) { milliseconds = timestamp.millisecondsSince1970 }

    var value: Timestamp? {
        milliseconds == .min ? nil : Timestamp(millisecondsSince1970: milliseconds)
    }
}

/// The attributes of the app, as places and numbers.
struct AppRecord: Sendable {
    var attributes = PayloadSlice.absent
    var receiptType = PayloadSlice.absent
    var bundleID = PayloadSlice.absent
    /// The DER value of attribute 2, header included: it enters the device hash.
    var bundleIDValue = PayloadSlice.absent
    var applicationVersion = PayloadSlice.absent
    var originalApplicationVersion = PayloadSlice.absent
    var opaqueValue = PayloadSlice.absent
    var sha1Hash = PayloadSlice.absent
    var creationDate = Timestamp(millisecondsSince1970: 0)
    var originalPurchaseDate = PayloadDate.absent
    var expirationDate = PayloadDate.absent
    var appItemID: UInt64?
    var downloadID: UInt64?
    var versionExternalIdentifier: UInt64?
}

/// The attributes of one in-app purchase, as places and numbers.
struct PurchaseRecord: Sendable {
    var attributes = PayloadSlice.absent
    var productID = PayloadSlice.absent
    var transactionID = PayloadSlice.absent
    var originalTransactionID = PayloadSlice.absent
    var promotionalOfferIdentifier = PayloadSlice.absent
    var purchaseDate = PayloadDate.absent
    var originalPurchaseDate = PayloadDate.absent
    var expiresDate = PayloadDate.absent
    var cancellationDate = PayloadDate.absent
    var webOrderLineItemID: UInt64?
    var cancellationReason: Int64?
    var quantity: UInt32?
    var productType: UInt32?
    var isTrialPeriod: Bool?
    var isInIntroOfferPeriod: Bool?
}
