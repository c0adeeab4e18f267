import ReceiptASN1

// ReceiptPayload ::= SET OF ReceiptAttribute
//
// ReceiptAttribute ::= SEQUENCE {
//     type    INTEGER,
//     version INTEGER,
//     value   OCTET STRING }

/// What a receipt says: the attributes of the app and its in-app purchases.
///
/// A payload on its own proves nothing: only the one inside a ``VerifiedReceipt`` was signed by a trusted
/// authority. Text stays where it was in the signed bytes and becomes a `String` when it is asked for, so a
/// payload costs its bytes, one small record a purchase, and four bytes or so for each attribute without a property.
///
/// Values that the receipt does not hold are nil: absent attributes, empty dates.
public struct ReceiptPayload: Sendable {
    let storage: PayloadStorage

    /// The attributes of the app, their text as places in ``bytes``.
    package var app: AppRecord { storage.app }

    /// The signed bytes: RFC 5652's eContent, chunks joined.
    public var bytes: [UInt8] { storage.bytes }

    /// Attribute 0 as it stands, for example `ProductionSandbox`.
    public var receiptType: String? { storage.text(storage.app.receiptType) }

    /// The environment that attribute 0 names; nil where it is absent or unknown, never a default.
    public var environment: ReceiptEnvironment? { receiptType.flatMap(ReceiptEnvironment.init(receiptType:)) }

    /// Attribute 2. Never empty.
    public var bundleID: String { storage.text(storage.app.bundleID) ?? "" }

    /// Attribute 3: CFBundleVersion on iOS, CFBundleShortVersionString on macOS.
    public var applicationVersion: String? { storage.text(storage.app.applicationVersion) }

    /// Attribute 19: the version that was first installed. "1.0" in every sandbox receipt.
    public var originalApplicationVersion: String? { storage.text(storage.app.originalApplicationVersion) }

    /// Attribute 12: when the receipt was created and signed, the instant at which its chain is judged.
    public var creationDate: Timestamp { storage.app.creationDate }

    /// Attribute 18: when the app was first acquired. 2013-08-01T07:00:00Z in every sandbox receipt.
    public var originalPurchaseDate: Timestamp? { storage.app.originalPurchaseDate.value }

    /// Attribute 21: when a volume purchase ends.
    public var expirationDate: Timestamp? { storage.app.expirationDate.value }

    /// Attribute 32: when an app was ordered before its release. No published receipt has it, so it stands among the unknown
    /// ones; nil where it is no date, or stands more than once.
    package var preorderDate: Timestamp? {
        var dates: [Timestamp?] = []
        forEachUnknownAttribute { attribute in
            guard attribute.type == AppRecord.preorderDateType else { return }
            var leniencies = ASN1Leniencies()
            dates.append((try? AttributeValue(attribute, of: bytes.span).date(&leniencies))?.value)
        }
        return dates.count == 1 ? dates[0] : nil
    }

    /// Attribute 1: the App Store id of the app; 0 in the sandbox.
    public var appItemID: UInt64? { storage.app.appItemID }

    /// Attribute 15.
    public var downloadID: UInt64? { storage.app.downloadID }

    /// Attribute 16.
    public var versionExternalIdentifier: UInt64? { storage.app.versionExternalIdentifier }

    /// Attribute 4: opaque bytes that enter the device hash.
    public var opaqueValue: [UInt8]? { storage.copy(storage.app.opaqueValue) }

    /// Attribute 5: SHA-1 of the device id, attribute 4 and the value bytes of attribute 2.
    public var sha1Hash: [UInt8]? { storage.copy(storage.app.sha1Hash) }

    /// Attributes 17, in the receipt's order, which is no particular one.
    public var inAppPurchases: InAppPurchases { InAppPurchases(storage: storage) }

    /// Every attribute that has no property here, in the receipt's order and without loss.
    public var unknownAttributes: [UnknownAttribute] {
        var attributes: [UnknownAttribute] = []
        forEachUnknownAttribute { attributes.append(UnknownAttribute($0, of: storage.bytes)) }
        return attributes
    }

    /// Every attribute of the app, in the receipt's order.
    package func forEachAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachAttribute(in: storage.app.attributes, body)
    }

    /// The same without a copy of each value: places in ``bytes``.
    package func forEachUnknownAttribute(_ body: (ReceiptAttribute) -> Void) {
        storage.forEachUnknownAttribute(in: storage.app.unknown, body)
    }
}
