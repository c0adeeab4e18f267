import StrictJSON

/// The kind of a value that another store or payment system issued. An export of purchases often has such
/// values in the column of its receipts.
///
/// A value is foreign by its own form, never because it is not Apple's. A damaged receipt, a truncated JWS and
/// text without a known form therefore stay refused.
package enum ForeignKind: String, Sendable, CaseIterable {
    /// A purchase token of Google Play: lower-case letters, `.AO-J1O` and base64url.
    case googlePlayToken = "google_play_token"
    /// An order ID of Google Play: `GPA.1234-5678-9012-34567`.
    case googlePlayOrder = "google_play_order"
    /// A purchase of Google Play as JSON.
    case googlePlayPurchase = "google_play_purchase"
    /// A purchase token of Huawei AppGallery: hexadecimal digits, `x` and numbers after periods.
    case huaweiToken = "huawei_token"
    /// A purchase of Huawei AppGallery as JSON.
    case huaweiPurchase = "huawei_purchase"
    /// A receipt ID of the Amazon Appstore: base64 and two numbers after colons.
    case amazonReceipt = "amazon_receipt"
    /// An object ID of Stripe: a prefix such as `sub_`, then letters and digits.
    case stripeID = "stripe_id"
    /// A subscription ID of PayPal: `I-` and twelve upper-case letters or digits.
    case paypalSubscription = "paypal_subscription"

    /// Returns the words for a number of such values.
    package func shown(_ count: Int) -> String {
        let one =
            switch self {
            case .googlePlayToken: "Google Play purchase token"
            case .googlePlayOrder: "Google Play order ID"
            case .googlePlayPurchase: "Google Play purchase"
            case .huaweiToken: "Huawei purchase token"
            case .huaweiPurchase: "Huawei purchase"
            case .amazonReceipt: "Amazon receipt ID"
            case .stripeID: "Stripe ID"
            case .paypalSubscription: "PayPal subscription ID"
            }
        return count == 1 ? one : one + "s"
    }

    /// The kind in the database, which writes kinds with hyphens.
    package var storedName: String {
        rawValue.split(separator: "_").joined(separator: "-")
    }

    /// The maximum size in bytes of a token or an ID, and of a purchase as JSON. Each is several times the
    /// size of real ones.
    private static let (longestToken, longestPurchase) = (2048, 1 << 16)

    /// Recognizes a value by its form. The time is linear in the length of `text`.
    /// - Returns: Nil if the text has none of the forms.
    package init?(_ text: Span<UInt8>) {
        guard text.count <= Self.longestPurchase else { return nil }
        var value = text.copy(text.trimmed(0..<text.count))
        if value.count > 1, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            guard let content = try? Self.content(ofQuoted: value) else { return nil }
            value = content
        }
        let kind =
            value.first == UInt8(ascii: "{")
            ? Self.purchase(value, depth: 0)
            : value.count <= Self.longestToken ? Self.token(value) : nil
        guard let kind else { return nil }
        self = kind
    }

    private static func content(ofQuoted json: [UInt8]) throws(JSONError) -> [UInt8] {
        var reader = JSONReader(json.span)
        let content = try reader.text(atMost: longestPurchase)
        try reader.end()
        return content
    }

    private static func token(_ value: [UInt8]) -> ForeignKind? {
        var rest = TokenReader(value)
        if rest.take("GPA.") { return isOrder(rest) ? .googlePlayOrder : nil }
        if rest.take("I-") {
            return rest.take(12...12, { $0.isUpper || $0.isDigit }) && rest.isAtEnd
                ? .paypalSubscription : nil
        }
        if isStripe(value) { return .stripeID }
        rest = TokenReader(value)
        if rest.take(8...64, \.isLower), rest.take(".AO-J1O"), rest.take(16...1024, \.isBase64URL) {
            return rest.isAtEnd ? .googlePlayToken : nil
        }
        rest = TokenReader(value)
        if rest.take(64...160, \.isLowerHexadecimal), rest.take("x") {
            return rest.take(3...8, \.isLowerHexadecimal) && rest.takeNumbers(after: ".", 1...3)
                && rest.isAtEnd
                ? .huaweiToken : nil
        }
        rest = TokenReader(value)
        guard !hasSignedObjectPrefix(value[...]), rest.take(20...256, \.isBase64),
            rest.takeNumbers(after: ":", 2...2)
        else { return nil }
        return rest.isAtEnd ? .amazonReceipt : nil
    }

    private static func isOrder(_ digits: TokenReader) -> Bool {
        var rest = digits
        for count in [4, 4, 4] {
            guard rest.take(count...count, \.isDigit), rest.take("-") else { return false }
        }
        guard rest.take(5...5, \.isDigit) else { return false }
        // A renewal has its number after the order.
        return rest.isAtEnd || rest.take("..") && rest.take(1...6, \.isDigit) && rest.isAtEnd
    }

    private static let stripePrefixes = [
        "sub_", "si_", "cs_test_", "cs_live_", "in_", "pi_", "ch_", "cus_", "price_", "prod_", "pm_", "seti_",
        "evt_",
    ]

    private static func isStripe(_ value: [UInt8]) -> Bool {
        for prefix in stripePrefixes {
            var rest = TokenReader(value)
            guard rest.take(prefix) else { continue }
            let id = rest
            // A word, as in `in_administration`, is not an ID.
            return rest.take(14...128, { $0.isLetter || $0.isDigit }) && rest.isAtEnd
                && id.remaining.contains { $0.isUpper || $0.isDigit }
        }
        return false
    }

    /// Recognizes a purchase as JSON.
    /// - Parameter depth: The number of enclosing purchases. Some libraries embed the store's JSON as text in
    ///   their own.
    private static func purchase(_ json: [UInt8], depth: Int) -> ForeignKind? {
        guard !containsSignedObjectPrefix(json), depth < 3 else { return nil }
        var (hasPackage, hasToken, isHuaweis, isGoogles) = (false, false, false, false)
        var inner: ForeignKind?
        do throws(JSONError) {
            var reader = JSONReader(json.span)
            try reader.object { (reader, name) throws(JSONError) in
                guard try reader.peek() == .string else { return try reader.skip() }
                let text = try reader.text(atMost: .max)
                switch name.ifASCII {
                case "packageName": hasPackage = !text.isEmpty
                case "purchaseToken": hasToken = !text.isEmpty
                case "payOrderId": isHuaweis = true
                case "kind": isGoogles = isGoogles || text.starts(with: "androidpublisher#".utf8)
                case "Store": isGoogles = isGoogles || text == Array("GooglePlay".utf8)
                case "json", "Payload", "originalJson", "INAPP_PURCHASE_DATA":
                    guard text.first == UInt8(ascii: "{") else { return }
                    inner = inner ?? purchase(text, depth: depth + 1)
                default: break
                }
            }
            try reader.end()
        } catch {
            return nil
        }
        if hasPackage, hasToken { return isHuaweis ? .huaweiPurchase : .googlePlayPurchase }
        return isGoogles ? .googlePlayPurchase : inner
    }

    /// Returns whether a string in the JSON begins like a signed object, which the purchase must not hide.
    private static func containsSignedObjectPrefix(_ json: [UInt8]) -> Bool {
        for index in json.indices where json[index] == UInt8(ascii: "\"") {
            if hasSignedObjectPrefix(json[(index + 1)...]) { return true }
        }
        return false
    }

    /// Returns whether the text begins like a receipt, a JWS or a transaction receipt, or one of them in base64.
    private static func hasSignedObjectPrefix(_ text: ArraySlice<UInt8>) -> Bool {
        ["MI", "eyJ", "ewo", "ew0K", "TUl", "ZXlK"].contains { text.starts(with: $0.utf8) }
    }
}

private struct TokenReader {
    private(set) var remaining: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { remaining = bytes[...] }

    var isAtEnd: Bool { remaining.isEmpty }

    mutating func take(_ text: String) -> Bool {
        guard remaining.starts(with: text.utf8) else { return false }
        remaining = remaining.dropFirst(text.utf8.count)
        return true
    }

    /// Takes all next bytes of a class, and returns whether their number is one of `counts`.
    mutating func take(_ counts: ClosedRange<Int>, _ isOfClass: (UInt8) -> Bool) -> Bool {
        let start = remaining.startIndex
        remaining = remaining.drop(while: isOfClass)
        return counts.contains(remaining.startIndex - start)
    }

    /// Takes numbers of at most ten digits, each after a separator.
    mutating func takeNumbers(after separator: String, _ counts: ClosedRange<Int>) -> Bool {
        var count = 0
        while take(separator) {
            guard take(1...10, \.isDigit) else { return false }
            count += 1
        }
        return counts.contains(count)
    }
}

extension UInt8 {
    fileprivate var isUpper: Bool { (0x41...0x5A).contains(self) }
    fileprivate var isLower: Bool { (0x61...0x7A).contains(self) }
    fileprivate var isLowerHexadecimal: Bool { isDigit || (0x61...0x66).contains(self) }
    fileprivate var isBase64URL: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
    fileprivate var isBase64: Bool { isBase64URL || "+/=".utf8.contains(self) }
}
