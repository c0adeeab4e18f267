package import AppReceipt
import StrictJSON

/// A purchase that was verified before, in a receipt or as a signed transaction, as stored in an audit.
package struct PurchaseSnapshot: AppStorePurchase {
    package var productID: String?
    package var transactionID: String?
    package var originalTransactionID: String?
    package var promotionalOfferIdentifier: String?
    package var purchaseDate: Timestamp?
    package var expiresDate: Timestamp?
    package var cancellationDate: Timestamp?
    package var cancellationReason: Int64?
    package var productType: InAppProductType?
    package var isTrialPeriod: Bool?
    package var isInIntroOfferPeriod: Bool?
    // No rule uses these.
    package var quantity: UInt32? { nil }
    package var originalPurchaseDate: Timestamp? { nil }

    // Members that no app receipt contains, with Apple's names.

    package var subscriptionGroupIdentifier: String?
    package var ownershipType: String?
    package var isUpgraded: Bool?
    package var offerType: Int64?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var revocationType: String?
    package var revocationPercentage: Int64?

    package init() {}
}

/// Signed renewal information that was verified before, as stored in an audit.
package struct RenewalSnapshot: Sendable {
    package var originalTransactionID: String?
    package var productID: String?
    package var autoRenewProductID: String?
    package var autoRenewStatus: Int64?
    package var expirationIntent: Int64?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Timestamp?
    package var renewalDate: Timestamp?
    package var recentSubscriptionStartDate: Timestamp?
    package var offerType: Int64?
    package var eligibleWinBackOfferIDs: [String]?

    package init() {}

    fileprivate func signed(_ date: Timestamp) -> SignedRenewal {
        SignedRenewal(
            entry: RenewalInformation.Entry(
                productID: productID, autoRenewProductID: autoRenewProductID,
                originalTransactionID: originalTransactionID,
                willRenew: SignedRenewal.willRenew(autoRenewStatus, intent: expirationIntent),
                isInBillingRetry: isInBillingRetryPeriod ?? false, gracePeriodEnd: gracePeriodExpiresDate),
            signedDate: date, hasExpired: SignedRenewal.hasExpired(expirationIntent),
            periodEnd: renewalDate, winBackOffers: eligibleWinBackOfferIDs,
            mayBeIntroductory: SignedRenewal.mayBeIntroductory(offerType),
            seriesStart: recentSubscriptionStartDate)
    }
}

/// Evidence that was verified before, as stored in an audit.
package struct EvidenceSnapshot: Sendable {
    package let form: EvidenceForm
    /// The creation date of a receipt, or the signing date of another object.
    package let date: Timestamp?
    package var purchases: [PurchaseSnapshot] = []
    package var renewal: RenewalSnapshot?

    package init(_ form: EvidenceForm, date: Timestamp?) { (self.form, self.date) = (form, date) }
}

extension PurchaseHistory {
    /// Creates the history of evidence that was verified before. ``init(evidence:listings:anyRefused:)``
    /// gives the same history for the verified objects.
    package init(
        snapshots: [EvidenceSnapshot], listings: Set<APIAnswer.Listing>, bundleID: String?,
        environment: ReceiptEnvironment?, realm: TrustAnchorKind?
    ) {
        var merger = EvidenceMerger(bundleID: bundleID, listings)
        for snapshot in snapshots {
            let history = PurchaseHistory(
                snapshot, bundleID: bundleID, environment: environment, realm: realm)
            if snapshots.count == 1, snapshot.form == .receipt, !history.mayRepeatPurchases {
                self = history
                return
            }
            merger.add(
                ObjectEvidence(
                    history: history, form: snapshot.form,
                    renewal: snapshot.date.flatMap { snapshot.renewal?.signed($0) }))
        }
        self = merger.history()
    }

    private init(
        _ evidence: EvidenceSnapshot, bundleID: String?, environment: ReceiptEnvironment?,
        realm: TrustAnchorKind?
    ) {
        self.init()
        bundle = slice(bundleID)
        (self.environment, self.realm, evidenceDate) = (environment, realm, evidence.date)
        coverage =
            evidence.form == .receipt ? .complete : evidence.purchases.isEmpty ? .nothing : .single
        for purchase in evidence.purchases {
            let isReceipt = evidence.form == .receipt
            var transaction = facts(
                of: purchase, group: isReceipt ? nil : purchase.subscriptionGroupIdentifier,
                ownership: isReceipt ? nil : purchase.ownershipType)
            if evidence.form == .signed {
                transaction.take(
                    offer: slice(
                        redeemedOffer(purchase.offerIdentifier, ofType: purchase.offerType)),
                    identifier: purchase.offerIdentifier, ofType: purchase.offerType,
                    discount: purchase.offerDiscountType, isUpgraded: purchase.isUpgraded,
                    revocation: purchase.revocationType, share: purchase.revocationPercentage)
            }
            transactions.append(transaction)
        }
    }
}

extension InAppProductType {
    /// Creates a type from its name in the JSON contract.
    package init(named name: String) {
        self = (0...4).map(InAppProductType.init).first { $0.name.isExactly(name) } ?? .undocumented
    }
}
