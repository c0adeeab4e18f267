import ReceiptASN1

/// The attributes of the app, as numbers and ranges of the payload. Everything about an attribute is in this
/// file, except its property of ``ReceiptPayload``.
package struct AppRecord: Sendable {
    package var attributes = PayloadSlice.absent
    /// The range of the app's attributes in the storage's list of unknown attributes.
    var unknown: Range<UInt32> = 0..<0
    package var receiptType = PayloadSlice.absent
    package var bundleID = PayloadSlice.absent
    /// The DER value of attribute 2, including tag and length, which is part of the device hash.
    package var bundleIDValue = PayloadSlice.absent
    package var applicationVersion = PayloadSlice.absent
    package var originalApplicationVersion = PayloadSlice.absent
    package var opaqueValue = PayloadSlice.absent
    package var sha1Hash = PayloadSlice.absent
    package var creationDate = Timestamp(millisecondsSince1970: 0)
    package var originalPurchaseDate = PayloadDate.absent
    package var expirationDate = PayloadDate.absent
    package var appItemID: UInt64?
    package var downloadID: UInt64?
    package var versionExternalIdentifier: UInt64?

    package init() {}
}

extension AppRecord {
    /// The attribute types that other code refers to.
    static let bundleIDType: Int64 = 2
    static let creationDateType: Int64 = 12
    /// The type of in-app purchases, which have their own records.
    static let inAppType: Int64 = 17
    static let preorderDateType: Int64 = 32

    /// Visits the rows in the order of the JSON contract.
    @inlinable
    @inline(__always)
    package func visit(_ visitor: inout (some AttributeVisitor & ~Copyable), of bytes: [UInt8]) {
        visitor.visit(0, "receipt_type", .text(receiptType), of: bytes)
        visitor.visit(2, "bundle_id", .text(bundleID), of: bytes)
        visitor.visit(3, "application_version", .text(applicationVersion), of: bytes)
        visitor.visit(19, "original_application_version", .text(originalApplicationVersion), of: bytes)
        visitor.visit(12, "receipt_creation_date", .date(creationDate), of: bytes)
        visitor.visit(18, "original_purchase_date", .date(originalPurchaseDate.value), of: bytes)
        visitor.visit(21, "expiration_date", .date(expirationDate.value), of: bytes)
        visitor.visit(1, "app_item_id", .identifier(appItemID), of: bytes)
        visitor.visit(15, "download_id", .identifier(downloadID), of: bytes)
        visitor.visit(16, "version_external_identifier", .identifier(versionExternalIdentifier), of: bytes)
        visitor.visit(4, "opaque_value", .bytes(opaqueValue), of: bytes)
        visitor.visit(5, "sha1_hash", .bytes(sha1Hash), of: bytes)
    }

    @inline(__always)
    mutating func set(
        _ attribute: ReceiptAttribute, _ value: borrowing AttributeValue, _ leniencies: inout ASN1Leniencies
    ) throws(ASN1Error) {
        switch attribute.type {
        case 0: receiptType = try value.text(&leniencies)
        case 1: appItemID = try value.identifier(&leniencies)
        case 2:
            bundleID = try value.text(&leniencies)
            bundleIDValue = PayloadSlice(attribute.value)
            if bundleID.range?.isEmpty ?? true { throw ASN1Error(.missing, at: attribute.value.lowerBound) }
        case 3: applicationVersion = try value.text(&leniencies)
        case 4: opaqueValue = PayloadSlice(attribute.value)
        case 5: sha1Hash = PayloadSlice(attribute.value)
        // There is no case for attribute 12, which was read before the signature was verified. There is none
        // for attributes 17, which have their own records.
        case 15: downloadID = try value.identifier(&leniencies)
        case 16: versionExternalIdentifier = try value.identifier(&leniencies)
        case 18: originalPurchaseDate = try value.date(&leniencies)
        case 19: originalApplicationVersion = try value.text(&leniencies)
        case 21: expirationDate = try value.date(&leniencies)
        default: break
        }
    }

    /// The attributes without a row, with their presumed meanings. All except 17 are unknown attributes.
    static let others: [AttributeTable.Row] = [
        .init(6, "reserved bytes", isRaw: true), .init(7, "reserved bytes", isRaw: true),
        .init(8, "a date, in production only"), .init(9, "build of the signing service"),
        .init(10, "age rating", isSettled: true), .init(11, "seller id"), .init(13, "OS version"),
        .init(14, "build counter"), .init(inAppType, "in_app", isSettled: true, isModeled: true),
        .init(20, "reserved text"),
        .init(23, "organization of a volume purchase"), .init(25, "platform"),
        .init(preorderDateType, "preorder date"),
    ]
}
