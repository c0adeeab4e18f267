import AppReceipt

/// The facts about one group, except the customer's own purchases.
struct SignedFacts: Sendable {
    /// The indices of family members' purchases.
    var shared: [Int] = []
    /// The indices of the purchases with an unknown owner, and the last end of these.
    var unknownOwners: [Int] = []
    var unknownOwnersEnd: Timestamp?
    /// The indices of superseded evidence.
    var superseded: [Int] = []
    /// The signed renewal information that takes precedence.
    var renewal: SignedRenewal?
    /// The first transactions of the subscriptions that signed renewal information is about, unless it is from before their last
    /// purchase.
    var renewals: Set<[UInt8]> = []
    /// Whether unsigned renewal information is about another subscription, and counts, too.
    var hasUnsignedRenewal = false
    /// Whether signed renewal information of some subscription states a grace period that has not ended, or
    /// billing retry of another owner's subscription.
    var hasUnpaidPeriod = false
    /// Whether the last known period of a shared subscription is over, and renewal information says that it renews or is in
    /// billing retry.
    private(set) var hasSharedRenewal = false
    /// Whether a period of a shared subscription may be missing: the last known one is over and may have been renewed, or a later one
    /// follows a gap.
    private(set) var mayHaveSharedRenewal = false
    /// The last end of a shared period, from purchases, renewal information or an upgraded period without a successor. It may be after
    /// the evaluation date.
    private(set) var sharedEnd: Timestamp?
    /// Whether renewal information states an introductory offer of the customer, or an unknown one, for the next period.
    var mayHaveIntroductoryRenewal = false
    /// Whether renewals of the customer may be missing. One of them may have had the introductory offer.
    var mayLackRenewals = false
    /// Whether the evidence shows a purchase or a refund of the customer that it does not contain. Signed renewal information shows a
    /// purchase by its product or its date, and a purchase within the last period shows a refund.
    var showsMissingEvidence = false
    /// The last end of a period in signed renewal information, if the evidence has no purchase of that period.
    var unlistedEnd: Timestamp?
    var hasConflictingEvidence = false
    var groupDiffers = false

    mutating func noteSharedEnd(_ end: Timestamp) { sharedEnd = max(end, sharedEnd ?? end) }

    /// Notes that a period of a shared subscription may be missing and may run at the evaluation date.
    /// - Parameter isStated: Whether renewal information says that it renews or is in billing retry.
    mutating func noteSharedRenewal(isStated: Bool) {
        mayHaveSharedRenewal = true
        hasSharedRenewal = hasSharedRenewal || isStated
    }

    /// Returns a copy in which `inOrder` has sorted ``unknownOwners``.
    func listing(_ inOrder: ([Int]) -> [Int]) -> SignedFacts {
        var facts = self
        facts.unknownOwners = inOrder(unknownOwners)
        return facts
    }
}
