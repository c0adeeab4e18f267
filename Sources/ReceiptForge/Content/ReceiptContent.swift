/// The content of a receipt: the signed payload. Nil omits an attribute.
///
/// The default content has the shape of a genuine production receipt. Dates are RFC 3339 text, so that a test
/// can forge invalid ones. In receipts, the empty string means "no date".
public struct ReceiptContent: Hashable, Sendable {
    /// Attribute 0: Production, ProductionSandbox, ProductionVPP, ProductionVPPSandbox or Xcode.
    public var receiptType: String? = "Production"
    /// Attribute 1, which is 0 in the sandbox.
    public var appItemID: UInt64? = 1_450_218_337
    /// Attribute 2.
    public var bundleID: String? = "com.example.forge"
    /// Attribute 3.
    public var applicationVersion: String? = "2.5.8"
    /// Attribute 4, version 2: 16 random bytes. Xcode's receipts have 8 bytes and version 1.
    public var opaqueValue: [UInt8]? = (0..<16).map { 0xA0 ^ ($0 &* 0x1D) }
    /// Attribute 5, or nil to compute it from ``deviceID``.
    public var sha1Hash: [UInt8]?
    /// The device identifier, an input of ``sha1Hash``. Nil omits attribute 5 unless ``sha1Hash`` is set.
    public var deviceID: [UInt8]? = (0..<16).map { $0 &* 0x11 }
    /// Attribute 12.
    public var creationDate: String? = "2024-06-01T10:00:00Z"
    /// Attribute 15, which is 0 in the sandbox.
    public var downloadID: UInt64? = 63_950_712_884_401
    /// Attribute 16, which is 0 in the sandbox.
    public var versionExternalIdentifier: UInt64? = 847_120_556
    /// Attributes 17, one for each purchase.
    public var purchases: [PurchaseContent] = []
    /// Attribute 18.
    public var originalPurchaseDate: String? = "2022-03-14T08:21:55Z"
    /// Attribute 19, absent from Xcode's receipts.
    public var originalApplicationVersion: String? = "1.0"
    /// Attribute 21, present in receipts of volume purchases and from Xcode.
    public var expirationDate: String?
    /// Attributes without a property here: those without a known meaning, duplicates, and damage.
    public var otherAttributes: [ReceiptAttribute] = Self.usualOtherAttributes
    /// The attribute types to omit, regardless of the properties.
    public var omittedTypes: Set<Int> = []
    /// Whether SETs are in DER's order, as Apple writes them. Xcode does not sort them.
    public var sorted = true

    /// The attributes 6 to 11, 13, 14, 20 and 25 of a genuine receipt.
    public static let usualOtherAttributes: [ReceiptAttribute] = [
        ReceiptAttribute(6, value: (0..<70).map { UInt8(truncatingIfNeeded: $0 * 73 + 29) }),
        ReceiptAttribute(7, value: (0..<62).map { UInt8(truncatingIfNeeded: $0 * 151 + 83) }),
        .ia5String(8, "2024-06-01T10:00:00Z"),
        .integer(9, 0x5033_3032),  // "P302"
        .ia5String(10, "4+"),
        .integer(11, 14_265),
        .integer(13, 170_500),
        .integer(14, 229),
        .utf8String(20, ""),
        .integer(25, 3),
    ]

    /// Creates the content of an ordinary receipt of this app with these purchases.
    public init(bundleID: String = "com.example.forge", purchases: [PurchaseContent] = []) {
        self.bundleID = bundleID
        self.purchases = purchases
    }

    /// Returns the content of a receipt from the App Store's sandbox.
    public static func sandbox(
        bundleID: String = "com.example.forge", purchases: [PurchaseContent] = []
    ) -> ReceiptContent {
        var content = ReceiptContent(bundleID: bundleID, purchases: purchases)
        content.receiptType = "ProductionSandbox"
        content.appItemID = 0
        content.downloadID = 0
        content.versionExternalIdentifier = 0
        content.originalPurchaseDate = "2013-08-01T07:00:00Z"
        content.replace(.integer(11, 0))
        content.replace(.ia5String(8, ""))
        return content
    }

    /// Returns the content of a receipt from Xcode's StoreKit testing: few attributes, not sorted.
    public static func xcode(
        bundleID: String = "com.example.forge", purchases: [PurchaseContent] = []
    ) -> ReceiptContent {
        var content = ReceiptContent(bundleID: bundleID)
        content.receiptType = "Xcode"
        content.appItemID = 0
        content.opaqueValue = [0xD1, 0xBC, 0x5E, 0x0F, 0x04, 0, 0, 0]
        content.downloadID = nil
        content.versionExternalIdentifier = nil
        content.originalPurchaseDate = nil
        content.originalApplicationVersion = nil
        content.expirationDate = "4001-01-01T00:00:00Z"
        content.otherAttributes = [.ia5String(8, "")]
        content.sorted = false
        content.purchases = purchases.map { purchase in
            var purchase = purchase
            purchase.transactionID = "0"
            purchase.originalTransactionID = nil
            purchase.otherAttributes = []
            return purchase
        }
        return content
    }

    /// Replaces the attributes of the same type in ``otherAttributes``.
    public mutating func replace(_ attribute: ReceiptAttribute) {
        otherAttributes.removeAll { $0.type == attribute.type }
        otherAttributes.append(attribute)
    }

    /// Returns the attributes in order of type, then ``otherAttributes``, then the purchases.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func attributes() throws(ForgeError) -> [ReceiptAttribute] {
        let isXcode = receiptType == "Xcode"
        let list: [ReceiptAttribute?] = [
            receiptType.map { .utf8String(0, $0) },
            appItemID.map { .integer(1, $0) },
            bundleID.map { .utf8String(2, $0) },
            applicationVersion.map { .utf8String(3, $0) },
            opaqueValue.map { ReceiptAttribute(4, version: isXcode ? 1 : 2, value: $0) },
            try deviceHash().map { ReceiptAttribute(5, value: $0) },
            creationDate.map { .ia5String(12, $0) },
            downloadID.map { .integer(15, $0) },
            versionExternalIdentifier.map { .integer(16, $0) },
            originalPurchaseDate.map { .ia5String(18, $0) },
            originalApplicationVersion.map { .utf8String(19, $0) },
            expirationDate.map { .ia5String(21, $0) },
        ]
        let inApp = purchases.map {
            ReceiptAttribute(17, value: ReceiptAttribute.set($0.attributes, sorted: sorted))
        }
        return (list.compactMap { $0 } + otherAttributes + inApp).leavingOut(omittedTypes)
    }

    /// Returns the SHA-1 of the device, attribute 4 and the value of attribute 2, in this order (Apple,
    /// "Validating receipts on the device").
    private func deviceHash() throws(ForgeError) -> [UInt8]? {
        if let sha1Hash { return sha1Hash }
        guard let deviceID else { return nil }
        return try Digest.sha1.hash(deviceID + (opaqueValue ?? []) + BER.utf8String(bundleID ?? ""))
    }

    /// Returns the payload: a SET of attributes.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func encoded() throws(ForgeError) -> [UInt8] {
        ReceiptAttribute.set(try attributes(), sorted: sorted)
    }
}
