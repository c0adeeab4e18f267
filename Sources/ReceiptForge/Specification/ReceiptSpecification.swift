/// The `receipt` object of a specification: the fields of `appreceipt verify --json` and a few more.
///
/// `receipt_type` selects the defaults of omitted fields: production, sandbox or Xcode. `unknown` replaces
/// the usual attributes of unknown meaning, `extra` adds attributes, and `omit` omits types.
struct ReceiptSpecification: Decodable {
    var content: ReceiptContent

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        let type: String? = try object.value("receipt_type")
        content =
            switch type {
            case "Xcode": .xcode()
            case let type? where type.hasSuffix("Sandbox"): .sandbox()
            default: ReceiptContent()
            }
        try object.take("receipt_type", &content.receiptType)
        try object.take("bundle_id", &content.bundleID)
        try object.take("application_version", &content.applicationVersion)
        try object.take("original_application_version", &content.originalApplicationVersion)
        try object.takeDate("receipt_creation_date", &content.creationDate)
        try object.takeDate("original_purchase_date", &content.originalPurchaseDate)
        try object.takeDate("expiration_date", &content.expirationDate)
        try object.takeIdentifier("app_item_id", &content.appItemID)
        try object.takeIdentifier("download_id", &content.downloadID)
        try object.takeIdentifier("version_external_identifier", &content.versionExternalIdentifier)
        try object.takeHex("opaque_value", &content.opaqueValue)
        try object.takeHex("sha1_hash", &content.sha1Hash)
        try object.takeHex("device_id", &content.deviceID)
        try object.take("sorted", &content.sorted)
        let purchases: [PurchaseSpecification] = try object.value("in_app") ?? []
        content.purchases = purchases.flatMap(\.purchases)
        if type == "Xcode" {
            content.purchases = ReceiptContent.xcode(purchases: content.purchases).purchases
        }
        // The default of attribute 8, the signing date, equals the creation date as in genuine receipts.
        if content.receiptType?.hasSuffix("Sandbox") == false, type != "Xcode",
            let creation = content.creationDate
        {
            content.replace(.ia5String(8, creation))
        }
        try object.takeAttributes(&content.otherAttributes, &content.omittedTypes)
        try object.finish()
    }
}
