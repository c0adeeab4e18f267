/// What the type number of a receipt's attribute stands for.
struct AttributeName {
    private let type: Int64
    /// Whether it is an attribute of an in-app purchase, not of the app.
    private let isInApp: Bool

    init(_ type: Int64, isInApp: Bool) {
        self.type = type
        self.isInApp = isInApp
    }

    private var entry: Entry? { (isInApp ? inAppNames : appNames)[type] }

    var label: String {
        guard let entry else { return "attribute \(type) (unknown)" }
        return "attribute \(type): \(entry.name)\(entry.isSettled ? "" : " (undocumented)")"
    }

    /// Whether the value is an in-app purchase.
    var isPurchase: Bool { !isInApp && type == 17 }

    /// Whether the value is bytes rather than one more DER value; nil where only the bytes can tell.
    var isRaw: Bool? { entry == nil ? nil : !isInApp && (4...7).contains(type) }

    /// What a number says beside its value.
    /// - Parameter content: the octets of an INTEGER.
    func meaning(of content: [UInt8]) -> String? {
        guard content.count <= 4 else { return nil }
        let number = content.reduce(0) { $0 << 8 | Int($1) }
        switch (isInApp, type) {
        case (false, 9):
            let isText = content.count == 4 && content.allSatisfy { (0x21..<0x7F).contains($0) }
            return isText ? "\"\(String(decoding: content, as: UTF8.self))\"" : nil
        case (false, 13) where number >= 10_000:
            return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
        case (false, 25): return [2: "macOS", 3: "iOS or watchOS"][number]
        case (true, 1707):
            let names = [
                "non-consumable", "consumable", "non-renewing subscription", "auto-renewable subscription",
                "free subscription",
            ]
            return names.indices.contains(number) ? names[number] : nil
        case (true, 1713), (true, 1719): return [0: "no", 1: "yes"][number]
        case (true, 1720): return [0: "another reason", 1: "an issue with the app"][number]
        default: return nil
        }
    }
}

/// Names of the JSON contract. Settled is what Apple documents, or enough receipts show.
private typealias Entry = (name: String, isSettled: Bool)

private let appNames: [Int64: Entry] = [
    0: ("receipt_type", true), 1: ("app_item_id", true), 2: ("bundle_id", true),
    3: ("application_version", true),
    4: ("opaque_value", true), 5: ("sha1_hash", true), 6: ("reserved bytes", false),
    7: ("reserved bytes", false),
    8: ("a date close before the creation date", false), 9: ("build of the signing service", false),
    10: ("age rating", true), 11: ("seller id", false), 12: ("receipt_creation_date", true),
    13: ("client version", false), 14: ("reserved number", false), 15: ("download_id", true),
    16: ("version_external_identifier", true), 17: ("in_app", true), 18: ("original_purchase_date", true),
    19: ("original_application_version", true), 20: ("reserved text", false), 21: ("expiration_date", true),
    23: ("organization of a volume purchase", false), 25: ("platform", false), 32: ("preorder date", false),
]

private let inAppNames: [Int64: Entry] = [
    1701: ("quantity", true), 1702: ("product_id", true), 1703: ("transaction_id", true),
    1704: ("purchase_date", true), 1705: ("original_transaction_id", true),
    1706: ("original_purchase_date", true),
    1707: ("product_type", true), 1708: ("expires_date", true), 1709: ("reserved text", false),
    1710: ("App Store id of the product", false), 1711: ("web_order_line_item_id", true),
    1712: ("cancellation_date", true), 1713: ("is_trial_period", true), 1714: ("reserved text", false),
    1715: ("reserved text", false), 1716: ("reserved text", false), 1717: ("reserved text", false),
    1718: ("reserved text", false), 1719: ("is_in_intro_offer_period", true),
    1720: ("cancellation_reason", true),
    1721: ("promotional_offer_identifier", true), 1722: ("reserved number", false),
]
