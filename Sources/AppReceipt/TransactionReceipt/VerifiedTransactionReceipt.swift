/// A verified `SKPaymentTransaction.transactionReceipt`: what apps had before there were receipts, from iOS 3 to 6.
///
/// Its environment is not signed: one of the sandbox can be passed off as one of production, so it is nil.
/// No initialiser is public and the type is not `Decodable`: only a ``ReceiptVerifier`` makes one.
public struct VerifiedTransactionReceipt: SignedObject {
    /// What weakens the proof.
    public enum Caveat: String, Sendable {
        /// The signer's key has 1,024 bits: whoever factors it forges receipts of 2009 to 2016.
        case rsa1024 = "rsa-1024"
    }

    /// The members of purchase-info, in its order, as they stand.
    public let members: [(name: String, text: String)]
    /// What weakens the proof; empty where nothing does.
    public let caveats: [Caveat]
    /// `purchase-date-ms`.
    public let purchaseInstant: Timestamp
    let chain: CertificateChain

    init(
        members: [(name: String, text: String)], caveats: [Caveat], purchaseInstant: Timestamp,
        chain: CertificateChain
    ) throws(ReceiptError) {
        self.members = members
        self.caveats = caveats
        self.purchaseInstant = purchaseInstant
        self.chain = chain
        try check()
    }

    /// What kind of anchor the chain ends at.
    public var realm: TrustRealm { chain.realm }
    /// The chain, from the signer to the anchor.
    public var certificates: [CertificateFacts] { chain.certificates }
    /// `purchase-date-ms`: nothing says when it was signed.
    public var verifiedAt: Timestamp { purchaseInstant }
    /// Always nil: it is not signed.
    public var environment: ReceiptEnvironment? { nil }
    /// `bid`.
    public var bundleID: String? { self["bid"] }

    /// Fails unless `bid` is the audience's app; no environment is ever the right one.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id` or `wrong_environment`.
    public func require(_ audience: ReceiptAudience) throws(ReceiptError) {
        try NamedOrigin(
            bundleID: (self.bundleID, "purchase-info.bid"), environment: (nil, "environment")
        ).require(audience)
    }

    /// The text of a member of purchase-info.
    public subscript(name: String) -> String? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.text
    }

    /// Fails unless what has a meaning here reads as it should.
    private func check() throws(ReceiptError) {
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
        try check(["is-trial-period", "is-in-intro-offer-period"]) { Bool($0) != nil }
    }
}

extension VerifiedTransactionReceipt: AppStorePurchase {
    /// `quantity`.
    public var quantity: UInt32? { self["quantity"].flatMap { UInt32($0) } }
    /// `product-id`.
    public var productID: String? { self["product-id"] }
    /// Not told.
    public var productType: InAppProductType? { nil }
    /// `transaction-id`.
    public var transactionID: String? { self["transaction-id"] }
    /// `original-transaction-id`.
    public var originalTransactionID: String? { self["original-transaction-id"] }
    /// `purchase-date-ms`.
    public var purchaseDate: Timestamp? { purchaseInstant }
    /// `original-purchase-date-ms`.
    public var originalPurchaseDate: Timestamp? { date("original-purchase-date-ms") }
    /// `expires-date`, in milliseconds.
    public var expiresDate: Timestamp? { date("expires-date") }
    /// Not told: it was issued at the purchase.
    public var cancellationDate: Timestamp? { nil }
    /// Not told.
    public var cancellationReason: Int64? { nil }
    /// Only the last of these receipts tell.
    public var isTrialPeriod: Bool? { self["is-trial-period"].flatMap { Bool($0) } }
    /// Only the last of these receipts tell.
    public var isInIntroOfferPeriod: Bool? { self["is-in-intro-offer-period"].flatMap { Bool($0) } }
    /// Not told.
    public var promotionalOfferIdentifier: String? { nil }

    private func date(_ name: String) -> Timestamp? {
        self[name].flatMap { Timestamp(millisecondsText: $0) }
    }
}

extension Timestamp {
    /// Milliseconds since 1970, from then to the year 9999, as digits.
    init?(millisecondsText text: String) {
        guard let milliseconds = Int64(text), milliseconds >= 0, Self.rfc3339Range.contains(milliseconds)
        else {
            return nil
        }
        self.init(millisecondsSince1970: milliseconds)
    }
}
