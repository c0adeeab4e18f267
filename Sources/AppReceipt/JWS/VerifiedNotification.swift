/// A notification of the App Store to a server (responseBodyV2).
public struct VerifiedNotification: VerifiedJWS {
    /// What was signed, with its chain.
    public let signed: SignedPayload

    init(_ signed: SignedPayload) { self.signed = signed }

    /// `notificationType`: what happened.
    public var notificationType: String? { members.text("notificationType") }
    /// `subtype`: what exactly happened.
    public var subtype: String? { members.text("subtype") }

    /// `notificationUUID`: the same where a notification is sent again.
    public var notificationUUID: String? { members.text("notificationUUID") }

    /// Which of `data`, `summary`, `externalPurchaseToken` and `appData` it has.
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
    /// `summary.storefrontCountryCodes`: the storefronts of the extension; nil where the member is absent.
    public var storefrontCountryCodes: [String]? {
        guard let member = bodyMembers?["storefrontCountryCodes"] else { return nil }
        // Its elements were read when it was checked.
        return try? SignedMembers.texts(of: signed.json.span, in: member.range, path: "")
    }
    /// `summary.succeededCount`: subscriptions that were extended.
    public var succeededCount: Int64? { bodyMembers?.integer("succeededCount") }
    /// `summary.failedCount`: subscriptions that were not extended.
    public var failedCount: Int64? { bodyMembers?.integer("failedCount") }

    /// `externalPurchaseToken.externalPurchaseId`: starts with SANDBOX in the sandbox.
    public var externalPurchaseID: String? { bodyMembers?.text("externalPurchaseId") }
    /// `externalPurchaseToken.tokenCreationDate`.
    public var tokenCreationDate: Timestamp? { bodyMembers?.date("tokenCreationDate") }
    /// `externalPurchaseToken.tokenExpirationDate`.
    public var tokenExpirationDate: Timestamp? { bodyMembers?.date("tokenExpirationDate") }
    /// `externalPurchaseToken.tokenType`: of a custom link.
    public var tokenType: String? { bodyMembers?.text("tokenType") }

    /// A signed object inside the notification. Nobody vouches for it but its own signature.
    public struct Enclosure: Sendable {
        /// For example `data.signedTransactionInfo`.
        public let path: String
        /// What must stand there.
        public let kind: JWSKind
        /// A compact JWS, or what stands in its place.
        public let text: String
    }

    /// What the notification carries: transaction, renewal information, app transaction.
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

    /// Fails unless a verified object may be at this place: of the kind that belongs there, under the same kind of anchor, and
    /// of the app and environment that the notification names. What the notification does not name is not compared. Renewal
    /// information names no app: the notification's is its own.
    /// - Throws: ``ReceiptError``.
    public func require(_ object: some VerifiedJWS, at enclosure: Enclosure) throws(ReceiptError) {
        guard object.signed.kind == enclosure.kind else { throw .jws(.unexpectedKind, at: nil, "payload") }
        let environments = environment.map(ReceiptAudience.Environments.only) ?? .anyEnvironment
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
