/// A signed app transaction (AppTransaction): when and where a customer got the app.
public struct VerifiedAppTransaction: VerifiedJWS {
    /// What was signed, with its chain.
    public let signed: SignedPayload

    init(_ signed: SignedPayload) { self.signed = signed }

    /// `appTransactionId`: one for each Apple Account and app; each member of a family has another.
    public var appTransactionID: String? { members.text("appTransactionId") }

    /// `applicationVersion`: of the app that asked.
    public var applicationVersion: String? { members.text("applicationVersion") }
    /// `originalApplicationVersion`: the one that the customer first got.
    public var originalApplicationVersion: String? { members.text("originalApplicationVersion") }

    /// `versionExternalIdentifier`: the App Store's identifier of the app's version.
    public var versionExternalIdentifier: Int64? { members.integer("versionExternalIdentifier") }

    /// `originalPlatform`: iOS, macOS, tvOS, visionOS.
    public var originalPlatform: String? { members.text("originalPlatform") }

    /// `receiptType` as it stands; `environment` where it is one that is known.
    public var receiptType: String? { members.text("receiptType") }
    /// `receiptCreationDate`: when it was signed.
    public var receiptCreationDate: Timestamp { signed.payload.date }

    /// When the customer first got the app; in the year 0 in StoreKit Test.
    public var originalPurchaseDate: Timestamp? { members.date("originalPurchaseDate") }
    /// `preorderDate`: when the app was ordered in advance.
    public var preorderDate: Timestamp? { members.date("preorderDate") }
}
