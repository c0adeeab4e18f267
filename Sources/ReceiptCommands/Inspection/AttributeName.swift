import AppReceipt

/// The name of a receipt attribute, by its type number.
struct AttributeName {
    private let type: Int64
    /// Whether it is an attribute of an in-app purchase, not of the app.
    private let isInApp: Bool

    init(_ type: Int64, isInApp: Bool) {
        self.type = type
        self.isInApp = isInApp
    }

    private var row: AttributeTable.Row? { (isInApp ? AttributeTable.inApp : .app)[type] }

    var label: String {
        guard let row else { return "attribute \(type) (unknown)" }
        let note = isObserved ? "not documented by Apple; observed meaning" : "undocumented"
        return "attribute \(type): \(row.name)\(row.isSettled ? "" : " (\(note))")"
    }

    /// Whether the meaning is known from receipts instead of Apple's documentation.
    private var isObserved: Bool { !isInApp && [8, 13, 14].contains(type) }

    /// Whether the value is an in-app purchase.
    var isPurchase: Bool { !isInApp && type == 17 }

    /// Whether the value is bytes instead of a DER value, or nil if that depends on the bytes.
    var isRaw: Bool? { row?.isRaw }

    /// Returns the meaning of a number.
    /// - Parameter content: The octets of an INTEGER.
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
