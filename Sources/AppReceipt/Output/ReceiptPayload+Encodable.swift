extension ReceiptPayload: Encodable {
    private enum CodingKeys: String, CodingKey {
        case receiptType = "receipt_type"
        case bundleID = "bundle_id"
        case applicationVersion = "application_version"
        case originalApplicationVersion = "original_application_version"
        case creationDate = "receipt_creation_date"
        case originalPurchaseDate = "original_purchase_date"
        case expirationDate = "expiration_date"
        case appItemID = "app_item_id"
        case downloadID = "download_id"
        case versionExternalIdentifier = "version_external_identifier"
        case opaqueValue = "opaque_value"
        case sha1Hash = "sha1_hash"
        case inApp = "in_app"
        case unknown
    }

    /// Encodes the object `receipt` of the JSON contract. Absent values are null, and 64-bit identifiers are
    /// strings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(receiptType, forKey: .receiptType)
        try container.encode(bundleID, forKey: .bundleID)
        try container.encode(applicationVersion, forKey: .applicationVersion)
        try container.encode(originalApplicationVersion, forKey: .originalApplicationVersion)
        try container.encode(creationDate, forKey: .creationDate)
        try container.encode(originalPurchaseDate, forKey: .originalPurchaseDate)
        try container.encode(expirationDate, forKey: .expirationDate)
        try container.encode(appItemID.map { String($0) }, forKey: .appItemID)
        try container.encode(downloadID.map { String($0) }, forKey: .downloadID)
        try container.encode(
            versionExternalIdentifier.map { String($0) }, forKey: .versionExternalIdentifier)
        try container.encode(opaqueValue.map(hexadecimal), forKey: .opaqueValue)
        try container.encode(sha1Hash.map(hexadecimal), forKey: .sha1Hash)
        try container.encode(Array(inAppPurchases), forKey: .inApp)
        try container.encode(unknownAttributes, forKey: .unknown)
    }
}
