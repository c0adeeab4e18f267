import AppReceipt

/// What the second decoder found in a SET of attributes.
struct SecondReading {
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

    /// Value by type; nil is an empty date.
    var values: [Int64: String?] = [:]
    var unknown: [String] = []
    var purchases: [SecondReading] = []

    func has(_ type: Int64) -> Bool { (values[type] ?? nil) != nil }

    /// False where an attribute stands twice or a value is not of its kind.
    mutating func read(_ attributes: [SecondDecoder.Attribute], _ kinds: [Int64: Kind]) -> Bool {
        for attribute in attributes {
            guard let kind = kinds[attribute.type] else {
                unknown.append("\(attribute.type) \(attribute.version) \(attribute.value)")
                continue
            }
            if kind == .purchase { continue }
            guard values[attribute.type] == nil, let value = Self.value(kind, attribute.value) else {
                return false
            }
            values[attribute.type] = .some(value)
        }
        return true
    }

    /// Nil where the value is not of its kind, and nothing inside where it is an empty date.
    private static func value(_ kind: Kind, _ bytes: [UInt8]) -> String?? {
        let integer = SecondDecoder.only(0x02, bytes)
        let number = integer.flatMap(SecondDecoder.integer)
        switch kind {
        case .raw: return "\(bytes)"
        case .text: return SecondDecoder.text(bytes).map { "\(Array($0.utf8))" }
        case .date:
            guard let text = SecondDecoder.text(bytes) else { return nil }
            return text.isEmpty ? .some(nil) : SecondDate.milliseconds(text).map { "\($0)" }
        case .identifier: return integer.flatMap(SecondDecoder.identifier).map { "\($0)" }
        case .count: return number.flatMap(UInt32.init(exactly:)).map { "\($0)" }
        case .integer: return number.map { "\($0)" }
        case .flag: return number == 0 ? "false" : number == 1 ? "true" : nil
        case .purchase: return nil
        }
    }

    var lines: String {
        let known = values.filter { $0.value != nil }.sorted { $0.key < $1.key }.map {
            "\($0.key): \($0.value ?? "")"
        }
        return (known + unknown + purchases.map { "[\n\($0.lines)\n]" }).joined(separator: "\n")
    }
}

/// RFC 3339, by the letter and slowly.
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

    /// Days from the first of January of year 0.
    private static func daysBefore(_ year: Int64) -> Int64 {
        year == 0 ? 0 : year * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    }
}

// MARK: - The package's reading, in the same words

extension ReceiptPayload {
    var lines: String {
        let known: [(Int, String?)] = [
            (0, receiptType?.octets), (1, appItemID.map(String.init)), (2, bundleID.octets),
            (3, applicationVersion?.octets), (4, opaqueValue.map { "\($0)" }), (5, sha1Hash.map { "\($0)" }),
            (12, creationDate.text), (15, downloadID.map(String.init)),
            (16, versionExternalIdentifier.map(String.init)), (18, originalPurchaseDate?.text),
            (19, originalApplicationVersion?.octets), (21, expirationDate?.text),
        ]
        return (listed(known) + unknownAttributes.map(\.line) + inAppPurchases.map { "[\n\($0.lines)\n]" })
            .joined(separator: "\n")
    }
}

extension InAppPurchase {
    fileprivate var lines: String {
        let type: UInt32? = productType.map {
            switch $0 {
            case .nonConsumable: 0
            case .consumable: 1
            case .nonRenewingSubscription: 2
            case .autoRenewableSubscription: 3
            case .freeSubscription: 4
            case .unknown(let number): number
            }
        }
        let known: [(Int, String?)] = [
            (1701, quantity.map(String.init)), (1702, productID?.octets), (1703, transactionID?.octets),
            (1704, purchaseDate?.text), (1705, originalTransactionID?.octets),
            (1706, originalPurchaseDate?.text),
            (1707, type.map(String.init)), (1708, expiresDate?.text),
            (1711, webOrderLineItemID.map(String.init)),
            (1712, cancellationDate?.text), (1713, isTrialPeriod.map { "\($0)" }),
            (1719, isInIntroOfferPeriod.map { "\($0)" }), (1720, cancellationReason.map(String.init)),
            (1721, promotionalOfferIdentifier?.octets),
        ]
        return (listed(known) + unknownAttributes.map(\.line)).joined(separator: "\n")
    }
}

private func listed(_ values: [(Int, String?)]) -> [String] {
    values.compactMap { type, value in value.map { "\(type): \($0)" } }
}

extension String {
    fileprivate var octets: String { "\(Array(utf8))" }
}

extension Timestamp {
    fileprivate var text: String { "\(millisecondsSince1970)" }
}

extension UnknownAttribute {
    fileprivate var line: String { "\(type) \(version) \(value)" }
}
