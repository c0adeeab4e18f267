public import AppReceipt

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

    /// Whether the offer has a criterion that this version does not know. If so, the rule `criteria` never answers "eligible".
    public var hasUnknownCriterion = false

    /// The offer's first day at 0:00 UTC: `startDate`.
    public var startDate: Timestamp?
    /// The offer's last day at 0:00 UTC: `endDate`.
    public var endDate: Timestamp?

    /// Creates an offer without criteria.
    public init(offerID: String? = nil) { self.offerID = offerID }

    /// Returns the identifiers of `offers` as bytes, because `String` compares by canonical equivalence.
    static func ids(of offers: [WinBackOffer]) -> Set<[UInt8]> {
        Set(offers.compactMap { $0.offerID.map { Array($0.utf8) } })
    }

    /// Returns whether the offer is available at an instant. Returns nil within a day of its beginning or end, because Apple
    /// documents no time zone.
    func isAvailable(at instant: Timestamp) -> Bool? {
        let (now, day) = (instant.secondsSince1970, Int64(86_400))
        let start = startDate?.secondsSince1970 ?? .min / 2
        let end = (endDate?.secondsSince1970).map { $0 + day } ?? .max / 2
        if now < start - day || now >= end + day { return false }
        return now < start + day || now >= end - day ? nil : true
    }
}
