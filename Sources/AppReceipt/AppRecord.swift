/// The attributes of the app, as places and numbers.
struct AppRecord: Sendable {
    var attributes = PayloadSlice.absent
    var receiptType = PayloadSlice.absent
    var bundleID = PayloadSlice.absent
    /// The DER value of attribute 2, header included: it enters the device hash.
    var bundleIDValue = PayloadSlice.absent
    var applicationVersion = PayloadSlice.absent
    var originalApplicationVersion = PayloadSlice.absent
    var opaqueValue = PayloadSlice.absent
    var sha1Hash = PayloadSlice.absent
    var creationDate = Timestamp(millisecondsSince1970: 0)
    var originalPurchaseDate = PayloadDate.absent
    var expirationDate = PayloadDate.absent
    var appItemID: UInt64?
    var downloadID: UInt64?
    var versionExternalIdentifier: UInt64?
}
