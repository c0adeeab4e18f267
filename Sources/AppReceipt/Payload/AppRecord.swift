/// The attributes of the app, as places and numbers.
package struct AppRecord: Sendable {
    package var attributes = PayloadSlice.absent
    package var receiptType = PayloadSlice.absent
    package var bundleID = PayloadSlice.absent
    /// The DER value of attribute 2, header included: it enters the device hash.
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
}
