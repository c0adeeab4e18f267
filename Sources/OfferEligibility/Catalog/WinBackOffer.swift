/// A win-back offer with its criteria, named as in the App Store Connect API. A nil criterion requires
/// nothing.
public struct WinBackOffer: Hashable, Sendable {
    /// The promotional offer identifier in a redemption.
    public var offerID: String?
    /// The minimum number of paid months in the group: `customerEligibilityPaidSubscriptionDurationInMonths`.
    public var paidMonths: Int?
    /// The minimum number of months since the lapse: `minimum` in
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`.
    public var minimumMonthsSinceLapse: Int?
    /// The maximum number of months since the lapse: `maximum` in
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`.
    public var maximumMonthsSinceLapse: Int?
    /// The minimum number of months since the last redemption of this offer ended:
    /// `customerEligibilityWaitBetweenOffersInMonths`.
    public var waitMonths: Int?

    /// Creates an offer without criteria.
    public init(offerID: String? = nil) { self.offerID = offerID }
}
