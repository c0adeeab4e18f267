/// A notification from the App Store to a server (responseBodyV2).
public struct VerifiedNotification: VerifiedJWS {
    /// The signed payload with its chain.
    public let signed: SignedPayload

    /// `notificationType`: the event.
    public var notificationType: String? { members.text("notificationType") }
    /// `subtype`: the details of the event.
    public var subtype: String? { members.text("subtype") }

    /// `notificationUUID`: the identifier, which stays the same if Apple sends the notification again.
    public var notificationUUID: String? { members.text("notificationUUID") }

    /// The name of the body: `data`, `summary`, `externalPurchaseToken` or `appData`.
    public var body: String? { signed.payload.body?.name }

    private var bodyMembers: SignedMembers? { signed.payload.body?.members }

    /// `version`: the version of the notification.
    public var version: String? { members.text("version") }

    /// `data.status`: the state of the subscription.
    public var status: Int64? { bodyMembers?.integer("status") }
    /// `data.bundleVersion`: the version of the build.
    public var bundleVersion: String? { bodyMembers?.text("bundleVersion") }
    /// `data.consumptionRequestReason`: the customer's reason for asking for a refund.
    public var consumptionRequestReason: String? { bodyMembers?.text("consumptionRequestReason") }

    /// `summary.productId`: the product whose renewals were extended.
    public var productID: String? { bodyMembers?.text("productId") }
    /// `summary.requestIdentifier`: the server's identifier of its request to extend renewals.
    public var requestIdentifier: String? { bodyMembers?.text("requestIdentifier") }
    /// `summary.storefrontCountryCodes`: the storefronts of the extension. Nil if the member is absent.
    public var storefrontCountryCodes: [String]? {
        guard let member = bodyMembers?["storefrontCountryCodes"] else { return nil }
        // Verification has already read the elements, so there is no error.
        return try? SignedMembers.texts(of: signed.json.span, in: member.range, path: "")
    }
    /// `summary.succeededCount`: the number of extended subscriptions.
    public var succeededCount: Int64? { bodyMembers?.integer("succeededCount") }
    /// `summary.failedCount`: the number of subscriptions that were not extended.
    public var failedCount: Int64? { bodyMembers?.integer("failedCount") }

    /// `externalPurchaseToken.externalPurchaseId`, which starts with SANDBOX in the sandbox.
    public var externalPurchaseID: String? { bodyMembers?.text("externalPurchaseId") }
    /// `externalPurchaseToken.tokenCreationDate`.
    public var tokenCreationDate: Timestamp? { bodyMembers?.date("tokenCreationDate") }
    /// `externalPurchaseToken.tokenExpirationDate`.
    public var tokenExpirationDate: Timestamp? { bodyMembers?.date("tokenExpirationDate") }
    /// `externalPurchaseToken.tokenType`: the type of a custom link token.
    public var tokenType: String? { bodyMembers?.text("tokenType") }

    /// A signed object inside the notification. Only its own signature proves it.
    public struct Enclosure: Sendable {
        /// The path, for example `data.signedTransactionInfo`.
        public let path: String
        /// The kind that is allowed in this place.
        public let kind: JWSKind
        /// A compact JWS, or the text in its place.
        public let text: String
    }

    /// The objects inside the notification: transaction, renewal information, app transaction.
    public var enclosures: [Enclosure] {
        guard let (name, members) = signed.payload.body else { return [] }
        return Self.places.compactMap { body, member, kind in
            guard body == name, let text = members.text(member) else { return nil }
            return Enclosure(path: "\(body).\(member)", kind: kind, text: text)
        }
    }

    private static let places: [(body: String, member: String, kind: JWSKind)] = [
        ("data", "signedTransactionInfo", .transaction),
        ("data", "signedRenewalInfo", .renewalInfo),
        ("appData", "signedAppTransactionInfo", .appTransaction),
    ]

    /// Checks that a verified object belongs in this place. Its kind must be the allowed one. Its kind of
    /// trust anchor, app and environment must match the notification. Values that the notification does not
    /// name are not compared. Renewal information names no app, so the notification's app applies to it.
    /// - Throws: ``ReceiptError``.
    public func require(_ object: some VerifiedJWS, at enclosure: Enclosure) throws(ReceiptError) {
        guard object.signed.kind == enclosure.kind else { throw .jws(.unexpectedKind, at: nil, "payload") }
        let environments = environment.map(VerificationPolicy.Environments.only) ?? .anyEnvironment
        let expectedID = object.signed.kind == .renewalInfo ? nil : bundleID
        try object.require(expectedID.map { .app($0, environments) } ?? .anyApp(environments))
        if let appAppleID, appAppleID != 0, let found = object.appAppleID, found != 0, found != appAppleID {
            throw ReceiptError(
                .wrongBundleID, .appAppleID(expected: [appAppleID], found: found),
                field: object.signed.payload.appAppleIDField)
        }
        guard object.realm == realm else {
            throw ReceiptError(.untrustedChain, .realm(object.realm), field: "header.x5c")
        }
    }
}
