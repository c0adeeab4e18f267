package import AppReceipt

/// What signed objects tell of a customer beside purchases, or a saved answer that names groups.
final class SignedEvidence: Sendable {
    /// The group of a product as its newest signed transaction names it: places in the history's text.
    struct Naming: Sendable {
        let product: TextSlice
        /// Several where signed transactions of one date differ; in the order of their text.
        var groups: [TextSlice]
    }

    /// The creation date of the newest receipt: receipts alone show that nothing else was bought.
    let newestReceipt: Timestamp?
    let renewals: [SignedRenewal]
    /// The newest first, each product once.
    let namings: [Naming]
    /// The groups that evidence of one date names for one transaction, where these differ; by the transaction's place in the
    /// history, in the order of their text.
    let contestedGroups: [Int: [TextSlice]]
    /// Every telling of what evidence of one date tells differently.
    let toldDifferently: [Transaction]

    init(
        newestReceipt: Timestamp?, renewals: [SignedRenewal], namings: [Naming],
        contestedGroups: [Int: [TextSlice]], toldDifferently: [Transaction]
    ) {
        self.contestedGroups = contestedGroups
        self.newestReceipt = newestReceipt
        self.renewals = renewals
        self.namings = namings
        self.toldDifferently = toldDifferently
    }
}

extension [TextSlice] {
    /// Each text once, in their order.
    func inOrder(of text: [UInt8]) -> [TextSlice] {
        guard count > 1 else { return self }
        var seen = Set<[UInt8]>()
        return filter { seen.insert([UInt8](text[$0.range])).inserted }
            .sorted { text[$0.range].lexicographicallyPrecedes(text[$1.range]) }
    }
}

/// Signed renewal information, as far as the rules ask.
package struct SignedRenewal: Sendable {
    let entry: RenewalInformation.Entry
    let signedDate: Timestamp
    /// `expirationIntent` is there: the subscription expired.
    let hasExpired: Bool
    /// `eligibleWinBackOfferIds`, Apple's first choice first; nil where Apple says nothing of them.
    let winBackOffers: [String]?

    /// Whether it says that the subscription did not renew.
    var didNotRenew: Bool { entry.willRenew == false || hasExpired }

    /// Of two pieces of information about one group the newer one counts, of equal dates the one that renews, then the
    /// later grace period; what is left decides nothing but that the order of evidence doesn't.
    package func counts(before other: SignedRenewal) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        let rank = rank
        let otherRank = other.rank
        if rank != otherRank { return otherRank.lexicographicallyPrecedes(rank) }
        let offers = (winBackOffers ?? []).map { Array($0.utf8) }
        let otherOffers = (other.winBackOffers ?? []).map { Array($0.utf8) }
        return otherOffers.lexicographicallyPrecedes(offers) { $0.lexicographicallyPrecedes($1) }
    }

    private var rank: [Int64] {
        [
            entry.willRenew.map { $0 ? 2 : 1 } ?? 0, entry.gracePeriodEnd?.millisecondsSince1970 ?? .min,
            entry.isInBillingRetry ? 1 : 0, hasExpired ? 1 : 0, winBackOffers == nil ? 0 : 1,
        ]
    }
}

extension SignedRenewal {
    package init(_ information: VerifiedRenewalInfo) {
        entry = RenewalInformation.Entry(
            productID: information.productID, autoRenewProductID: information.autoRenewProductID,
            originalTransactionID: information.originalTransactionID,
            willRenew: information.autoRenewStatus.flatMap { [0: false, 1: true][$0] },
            isInBillingRetry: information.isInBillingRetryPeriod ?? false,
            gracePeriodEnd: information.gracePeriodExpiresDate)
        signedDate = information.verifiedAt
        hasExpired = information.expirationIntent != nil
        winBackOffers = information.eligibleWinBackOfferIDs
    }
}
