import ReceiptASN1

// ReceiptPayload ::= SET OF ReceiptAttribute

/// The content of a receipt: the attributes of the app and its in-app purchases.
///
/// A payload by itself proves nothing. Only the payload of a ``VerifiedReceipt`` was signed by a trusted
/// authority.
///
/// Text remains in the signed bytes and becomes a `String` on access. So a payload takes the memory of its
/// bytes, one small record for each purchase, and about four bytes for each attribute without a property.
///
/// Absent attributes and empty dates are nil.
public struct ReceiptPayload: Sendable {
    let storage: PayloadStorage

    /// The attributes of the app, with text as ranges of ``bytes``.
    package var app: AppRecord { storage.app }

    /// The signed bytes: RFC 5652's eContent, with chunks joined.
    public var bytes: [UInt8] { storage.bytes }

    /// Attribute 0, unchanged, for example `ProductionSandbox`.
    public var receiptType: String? { storage.text(storage.app.receiptType) }

    /// The environment that attribute 0 names, or nil if it is absent or unknown.
    public var environment: ReceiptEnvironment? { receiptType.flatMap(ReceiptEnvironment.init(receiptType:)) }

    /// Attribute 2. Never empty.
    public var bundleID: String { storage.text(storage.app.bundleID) ?? "" }

    /// Attribute 3: CFBundleVersion on iOS, CFBundleShortVersionString on macOS.
    public var applicationVersion: String? { storage.text(storage.app.applicationVersion) }

    /// Attribute 19: the version that was first installed. "1.0" in every sandbox receipt.
    public var originalApplicationVersion: String? { storage.text(storage.app.originalApplicationVersion) }

    /// Attribute 12: the date of creation and signing, at which the chain must be valid.
    public var creationDate: Timestamp { storage.app.creationDate }

    /// Attribute 18: the date of the app's first download. 2013-08-01T07:00:00Z in every sandbox receipt.
    public var originalPurchaseDate: Timestamp? { storage.app.originalPurchaseDate.value }

    /// Attribute 21: the end of a volume purchase.
    public var expirationDate: Timestamp? { storage.app.expirationDate.value }

    /// Attribute 32: the date of the app's preorder. No published receipt has it, so it is an unknown
    /// attribute. Nil if it is not a valid date, or occurs more than once.
    package var preorderDate: Timestamp? {
        var dates: [Timestamp?] = []
        forEachUnknownAttribute { attribute in
            guard attribute.type == AppRecord.preorderDateType else { return }
            var leniencies = ASN1Leniencies()
            dates.append((try? AttributeValue(attribute, of: bytes.span).date(&leniencies))?.value)
        }
        return dates.count == 1 ? dates[0] : nil
    }

    /// Attribute 1: the app's identifier in the App Store; 0 in the sandbox.
    public var appItemID: UInt64? { storage.app.appItemID }

    /// Attribute 15.
    public var downloadID: UInt64? { storage.app.downloadID }

    /// Attribute 16.
    public var versionExternalIdentifier: UInt64? { storage.app.versionExternalIdentifier }

    /// Attribute 4: opaque bytes that are part of the device hash.
    public var opaqueValue: [UInt8]? { storage.copy(storage.app.opaqueValue) }

    /// Attribute 5: the SHA-1 of the device ID, attribute 4 and the value bytes of attribute 2.
    public var sha1Hash: [UInt8]? { storage.copy(storage.app.sha1Hash) }

    /// The purchases in attributes 17, in the receipt's order. The order has no meaning.
    public var inAppPurchases: InAppPurchases { InAppPurchases(storage: storage) }

    /// All attributes without a property here, complete and in the receipt's order.
    public var unknownAttributes: [UnknownAttribute] {
        var attributes: [UnknownAttribute] = []
        forEachUnknownAttribute { attributes.append(UnknownAttribute($0, of: storage.bytes)) }
        return attributes
    }

    /// Calls `body` with every attribute of the app, in the receipt's order.
    package func forEachAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachAttribute(in: storage.app.attributes, body)
    }

    /// Calls `body` with every attribute of the app without a property, as ranges of ``bytes`` rather than
    /// copies.
    package func forEachUnknownAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachUnknownAttribute(in: storage.app.unknown, body)
    }
}
