/// A verified transaction receipt, `SKPaymentTransaction.transactionReceipt`: one purchase in the format of
/// StoreKit 1, since 2009.
///
/// Its environment is nil, because it is not signed. Otherwise, an attacker could present a sandbox receipt
/// as a production receipt. The type has no public initializer and is not `Decodable`. Only a
/// ``ReceiptVerifier`` creates values.
public struct VerifiedTransactionReceipt: SignedObject {
    /// A weakness of the proof.
    public enum Caveat: String, Sendable {
        /// The signer's key has 1,024 bits. An attacker who factors it can forge receipts of 2009 to 2016.
        case rsa1024 = "rsa-1024"
    }

    /// The members of purchase-info, unchanged and in their order.
    public let members: [(name: String, text: String)]
    /// The weaknesses of the proof; usually empty.
    public let caveats: [Caveat]
    // Placed before shorter members, for the same reason as in `VerifiedReceipt`.
    /// `purchase-date-ms`, or `purchase-date` where that is absent (receipts of 2011).
    public let purchaseInstant: Timestamp
    /// The digest algorithm of the signature: SHA-256 in version 4, else SHA-1.
    public let digestAlgorithm: DigestAlgorithm
    let chain: CertificateChain

    /// The kind of the trust anchor at the end of the chain.
    public var realm: TrustAnchorKind { chain.realm }
    /// The chain, from the signer to the trust anchor.
    public var certificates: [CertificateFacts] { chain.certificates }
    /// The purchase date, because no member has the date of signing.
    public var verifiedAt: Timestamp { purchaseInstant }
    /// The result of the revocation checks. The receipt may have been signed long after the purchase, so a
    /// certificate that was revoked after the purchase is of unknown status.
    public var revocation: RevocationStatus {
        chain.revocationStatus(at: purchaseInstant, isSigningDate: false)
    }
    /// Always nil, because it is not signed.
    public var environment: ReceiptEnvironment? { nil }
    /// `bid`.
    public var bundleID: String? { self["bid"] }

    /// Checks that the policy accepts the app in `bid`. The receipt satisfies no policy that expects an
    /// environment or a device.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id`, `wrong_environment` or `wrong_device`.
    public func require(_ policy: VerificationPolicy) throws(ReceiptError) {
        let appItemID = self["app-item-id"]
        try NamedOrigin(
            bundleID: (self.bundleID, "purchase-info.bid"), environment: (nil, "environment"),
            appAppleID: (
                appItemID.flatMap { Int64($0) }, appItemID != nil, "purchase-info.app-item-id", .optional
            )
        ).require(policy)
        if policy.deviceID != nil { throw .notForDevice(.absent, "purchase-info") }
    }

    /// Returns the text of a member of purchase-info.
    public subscript(name: String) -> String? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.text
    }

    /// The names of dates: first in milliseconds, then as text. Receipts of 2011 have only the text.
    private static let dates = [
        ("original-purchase-date-ms", "original-purchase-date"), ("expires-date", "expires-date-formatted"),
    ]

    /// Checks the values of the members that have a meaning here.
    func check() throws(ReceiptError) {
        func check(_ names: [String], _ isReadable: (String) -> Bool) throws(ReceiptError) {
            for name in names {
                guard let text = self[name] else { continue }
                guard isReadable(text) else {
                    throw ReceiptError(
                        .malformed, .transactionReceipt(.value), field: "purchase-info.\(name)")
                }
            }
        }
        try check(["quantity"]) { UInt32($0) != nil }
        try check(["original-purchase-date-ms", "expires-date"]) {
            Timestamp(millisecondsText: $0) != nil
        }
        for (milliseconds, words) in Self.dates where self[milliseconds] == nil {
            try check([words]) { Timestamp(etcGMT: $0) != nil }
        }
        try check(["is-trial-period", "is-in-intro-offer-period"]) { Bool($0) != nil }
    }
}

extension VerifiedTransactionReceipt: AppStorePurchase {
    /// `quantity`.
    public var quantity: UInt32? { self["quantity"].flatMap { UInt32($0) } }
    /// `product-id`.
    public var productID: String? { self["product-id"] }
    /// Always nil: the receipt does not contain it.
    public var productType: InAppProductType? { nil }
    /// `transaction-id`.
    public var transactionID: String? { self["transaction-id"] }
    /// `original-transaction-id`.
    public var originalTransactionID: String? { self["original-transaction-id"] }
    /// The same as ``purchaseInstant``.
    public var purchaseDate: Timestamp? { purchaseInstant }
    /// `original-purchase-date-ms`, or `original-purchase-date` if that is absent.
    public var originalPurchaseDate: Timestamp? {
        date("original-purchase-date-ms", or: "original-purchase-date")
    }
    /// `expires-date` in milliseconds, or `expires-date-formatted` if that is absent.
    public var expiresDate: Timestamp? { date("expires-date", or: "expires-date-formatted") }
    /// Always nil, because the receipt is issued at the time of the purchase.
    public var cancellationDate: Timestamp? { nil }
    /// Always nil.
    public var cancellationReason: Int64? { nil }
    /// `is-trial-period`; absent before 2019.
    public var isTrialPeriod: Bool? { self["is-trial-period"].flatMap { Bool($0) } }
    /// `is-in-intro-offer-period`; absent before 2019.
    public var isInIntroOfferPeriod: Bool? { self["is-in-intro-offer-period"].flatMap { Bool($0) } }
    /// Always nil.
    public var promotionalOfferIdentifier: String? { nil }

    /// Reads a date.
    /// - Parameters:
    ///   - name: the member in milliseconds.
    ///   - text: the member as text, which receipts of 2011 have instead.
    private func date(_ name: String, or text: String) -> Timestamp? {
        if let milliseconds = self[name] { return Timestamp(millisecondsText: milliseconds) }
        return self[text].flatMap { Timestamp(etcGMT: $0) }
    }
}

extension VerifiedTransactionReceipt {
    /// `in-app-ownership-type`, as ``VerifiedTransaction/inAppOwnershipType``; absent before 2022.
    public var inAppOwnershipType: String? { self["in-app-ownership-type"] }
    /// `subscription-group-identifier`, as ``VerifiedTransaction/subscriptionGroupIdentifier``; absent before
    /// 2022.
    public var subscriptionGroupIdentifier: String? { self["subscription-group-identifier"] }
    /// `web-order-line-item-id`.
    public var webOrderLineItemID: String? { self["web-order-line-item-id"] }
}

extension Timestamp {
    /// Creates the instant of a number of milliseconds since 1970, in digits, up to the year 9999.
    init?(millisecondsText text: String) {
        guard let milliseconds = Int64(text), milliseconds >= 0, Self.rfc3339Range.contains(milliseconds)
        else {
            return nil
        }
        self.init(millisecondsSince1970: milliseconds)
    }

    /// Creates the instant of a date and time such as `2011-10-12 20:05:50 Etc/GMT`.
    package init?(etcGMT text: String) {
        let zone = " Etc/GMT"
        guard text.utf8.count == 19 + zone.utf8.count, text.hasSuffix(zone) else { return nil }
        var characters = Array(text.utf8.prefix(19))
        guard characters[10] == UInt8(ascii: " ") else { return nil }
        characters[10] = UInt8(ascii: "T")
        characters.append(UInt8(ascii: "Z"))
        self.init(usual: characters.span)
    }
}
