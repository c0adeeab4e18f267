/// A signed app transaction (AppTransaction), which records a customer's download of the app.
public struct VerifiedAppTransaction: VerifiedJWS {
    /// The signed payload with its chain.
    public let signed: SignedPayload

    /// `appTransactionId`: unique for each Apple Account and app. Each family member has a different one.
    public var appTransactionID: String? { members.text("appTransactionId") }

    /// `applicationVersion`: the version of the app that requested the object.
    public var applicationVersion: String? { members.text("applicationVersion") }
    /// `originalApplicationVersion`: the version that the customer first downloaded.
    public var originalApplicationVersion: String? { members.text("originalApplicationVersion") }

    /// `versionExternalIdentifier`: the App Store's identifier of the app's version.
    public var versionExternalIdentifier: Int64? { members.integer("versionExternalIdentifier") }

    /// `originalPlatform`: iOS, macOS, tvOS, visionOS.
    public var originalPlatform: String? { members.text("originalPlatform") }

    /// `receiptType`, unchanged. `environment` has the same value if it is a known one.
    public var receiptType: String? { members.text("receiptType") }
    /// `receiptCreationDate`: the date of signing.
    public var receiptCreationDate: Timestamp { signed.payload.date }

    /// `originalPurchaseDate`: the date of the customer's first download. In StoreKit Test, it is in the year
    /// 0.
    public var originalPurchaseDate: Timestamp? { members.date("originalPurchaseDate") }
    /// `preorderDate`: the date of the app's preorder.
    public var preorderDate: Timestamp? { members.date("preorderDate") }
    /// `revocationDate`: the date on which the purchase of the app was revoked, such as by a refund. Nil if the
    /// member is not a date.
    public var revocationDate: Timestamp? { members.date("revocationDate") }
}
