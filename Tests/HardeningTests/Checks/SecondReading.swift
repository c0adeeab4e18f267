import AppReceipt

/// The values that the second decoder found in a SET of attributes.
struct SecondReading: Equatable {
    enum Kind { case text, date, identifier, count, integer, flag, raw, purchase }

    static let appKinds: [Int64: Kind] = [
        0: .text, 1: .identifier, 2: .text, 3: .text, 4: .raw, 5: .raw, 12: .date, 15: .identifier,
        16: .identifier,
        17: .purchase, 18: .date, 19: .text, 21: .date,
    ]
    static let purchaseKinds: [Int64: Kind] = [
        1701: .count, 1702: .text, 1703: .text, 1704: .date, 1705: .text, 1706: .date, 1707: .count,
        1708: .date,
        1711: .identifier, 1712: .date, 1713: .flag, 1719: .flag, 1720: .integer, 1721: .text,
    ]

    enum Value: Equatable {
        case bytes([UInt8])
        case number(Int64)
        case identifier(UInt64)
        case flag(Bool)
        /// An empty date, which has no value.
        case none
    }

    var values: [Int64: Value] = [:]
    var unknown: [SecondDecoder.Attribute] = []
    var purchases: [SecondReading] = []

    func has(_ type: Int64) -> Bool { values[type] != nil }

    /// Reads attributes. Returns false if an attribute occurs twice or a value has the wrong type.
    mutating func read(_ attributes: [SecondDecoder.Attribute], _ kinds: [Int64: Kind]) -> Bool {
        for attribute in attributes {
            guard let kind = kinds[attribute.type] else {
                unknown.append(attribute)
                continue
            }
            if kind == .purchase { continue }
            guard values[attribute.type] == nil, let value = Self.value(kind, attribute.value) else {
                return false
            }
            values[attribute.type] = value
        }
        values = values.filter { $0.value != .none }
        return true
    }

    /// Returns a value of this kind, or nil if the bytes have another type.
    private static func value(_ kind: Kind, _ bytes: ArraySlice<UInt8>) -> Value? {
        let integer = SecondDecoder.only(0x02, bytes)
        let number = integer.flatMap(SecondDecoder.integer)
        switch kind {
        case .raw: return .bytes(Array(bytes))
        case .text: return SecondDecoder.text(bytes).map { .bytes(Array($0.utf8)) }
        case .date:
            guard let text = SecondDecoder.text(bytes) else { return nil }
            return text.isEmpty ? Value.none : SecondDate.milliseconds(text).map(Value.number)
        case .identifier: return integer.flatMap(SecondDecoder.identifier).map(Value.identifier)
        case .count: return number.flatMap(UInt32.init(exactly:)).map { .number(Int64($0)) }
        case .integer: return number.map(Value.number)
        case .flag: return number == 0 ? .flag(false) : number == 1 ? .flag(true) : nil
        case .purchase: return nil
        }
    }
}

/// A slow and literal implementation of RFC 3339.
enum SecondDate {
    static func milliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        func digits(_ count: Int) -> Int64? {
            let part = rest.prefix(count)
            guard part.count == count, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
        guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2),
            take("T"),
            let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2),
            (1...12).contains(month), day >= 1, day <= daysIn(month, of: year), hour < 24, minute < 60,
            second < 60
        else { return nil }
        var fraction: Int64 = 0
        if take(".") {
            let part = rest.prefix { (0x30...0x39).contains($0) }
            guard !part.isEmpty else { return nil }
            rest = rest.dropFirst(part.count)
            fraction = (Array(part) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        var offset: Int64 = 0
        if !take("Z") {
            let isNegative = take("-")
            guard isNegative || take("+"), let hours = digits(2), hours < 24 else { return nil }
            _ = take(":")
            guard let minutes = digits(2), minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (isNegative ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let days = daysBefore(year) + (1..<month).reduce(0) { $0 + daysIn($1, of: year) } + day - 1
        let minutes = (days * 24 + hour) * 60 + minute - offset
        guard (0..<daysBefore(10_000) * 1440).contains(minutes) else { return nil }
        return (minutes - daysBefore(1970) * 1440) * 60_000 + second * 1000 + fraction
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month) - 1]
    }

    /// Returns the days since January 1 of year 0.
    private static func daysBefore(_ year: Int64) -> Int64 {
        year == 0 ? 0 : year * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    }
}

// MARK: - The package's result in the same terms

extension SecondReading {
    init(of payload: ReceiptPayload) {
        values = Self.present([
            (0, text(payload.receiptType)), (1, payload.appItemID.map(Value.identifier)),
            (2, text(payload.bundleID)), (3, text(payload.applicationVersion)),
            (4, payload.opaqueValue.map(Value.bytes)), (5, payload.sha1Hash.map(Value.bytes)),
            (12, date(payload.creationDate)), (15, payload.downloadID.map(Value.identifier)),
            (16, payload.versionExternalIdentifier.map(Value.identifier)),
            (18, date(payload.originalPurchaseDate)), (19, text(payload.originalApplicationVersion)),
            (21, date(payload.expirationDate)),
        ])
        unknown = payload.unknownAttributes.map(SecondDecoder.Attribute.init)
        purchases = payload.inAppPurchases.map(SecondReading.init)
    }

    private init(of purchase: InAppPurchase) {
        let type: UInt32? = purchase.productType.map {
            switch $0 {
            case .nonConsumable: 0
            case .consumable: 1
            case .nonRenewingSubscription: 2
            case .autoRenewableSubscription: 3
            case .freeSubscription: 4
            case .unknown(let number): number
            // No receipt contains a string here.
            case .undocumented: .max
            }
        }
        values = Self.present([
            (1701, purchase.quantity.map { .number(Int64($0)) }), (1702, text(purchase.productID)),
            (1703, text(purchase.transactionID)), (1704, date(purchase.purchaseDate)),
            (1705, text(purchase.originalTransactionID)), (1706, date(purchase.originalPurchaseDate)),
            (1707, type.map { .number(Int64($0)) }), (1708, date(purchase.expiresDate)),
            (1711, purchase.webOrderLineItemID.map(Value.identifier)),
            (1712, date(purchase.cancellationDate)), (1713, purchase.isTrialPeriod.map(Value.flag)),
            (1719, purchase.isInIntroOfferPeriod.map(Value.flag)),
            (1720, purchase.cancellationReason.map(Value.number)),
            (1721, text(purchase.promotionalOfferIdentifier)),
        ])
        unknown = purchase.unknownAttributes.map(SecondDecoder.Attribute.init)
    }

    private static func present(_ values: [(Int64, Value?)]) -> [Int64: Value] {
        values.reduce(into: [:]) { present, value in present[value.0] = value.1 }
    }
}

private func text(_ text: String?) -> SecondReading.Value? { text.map { .bytes(Array($0.utf8)) } }

private func date(_ date: Timestamp?) -> SecondReading.Value? {
    date.map { .number($0.millisecondsSince1970) }
}

extension SecondDecoder.Attribute {
    fileprivate init(_ attribute: UnknownAttribute) {
        self.init(type: attribute.type, version: attribute.version, value: attribute.value[...])
    }
}
