package import AppReceipt

/// Signed renewal information, reduced to the facts that the rules use.
package struct SignedRenewal: Sendable {
    let entry: RenewalInformation.Entry
    let signedDate: Timestamp
    /// Whether the subscription expired for a known reason (`expirationIntent`).
    let hasExpired: Bool
    /// `renewalDate`: the end of the last period.
    let periodEnd: Timestamp?
    /// The offers in `eligibleWinBackOfferIds`, in Apple's order of preference. Nil if the member is absent.
    private(set) var winBackOffers: [String]?
    /// Whether `offerType` states an introductory offer, or an unknown one, for the next period: the customer may have redeemed an
    /// introductory offer of several periods.
    var mayBeIntroductory = false
    /// `recentSubscriptionStartDate`: the start of the latest series of periods.
    var seriesStart: Timestamp?

    /// Whether the information shows that the subscription did not renew.
    var didNotRenew: Bool { entry.willRenew == false || hasExpired }

    /// Returns whether this information is from after the charge of a period. A charge within the grace period is later than the
    /// period's purchase date. A renewal ahead of its time is charged, and signed, up to a day before, with its end.
    /// - Parameters:
    ///   - date: The purchase date of the period.
    ///   - expires: The end of the period.
    package func isCurrent(forPeriodFrom date: Timestamp?, until expires: Timestamp?) -> Bool {
        guard let date else { return true }
        guard signedDate < date else { return !isOfPeriodBefore(date, until: expires) }
        guard let periodEnd, let expires else { return false }
        let isOfThatDay = date.secondsSince1970 <= signedDate.secondsSince1970 + 86_400 + 60
        return isOfThatDay && !periodEnd.isWellBefore(expires) && !expires.isWellBefore(periodEnd)
    }

    /// Returns whether this information states a period that was over when another one began.
    func isOfPeriodBefore(_ date: Timestamp?, until expires: Timestamp?) -> Bool {
        guard let periodEnd, let date, let expires else { return false }
        return !date.isWellBefore(periodEnd) && periodEnd.isWellBefore(expires)
    }

    /// Returns the newer of two, or their combination if they have the same date.
    func combined(withOlder known: SignedRenewal?) -> SignedRenewal {
        guard let known, known.signedDate >= signedDate else { return self }
        return known.signedDate == signedDate ? known.combined(with: self) : known
    }

    /// The renewal or billing retry that this information states. It grants nothing, and ends nothing.
    var restriction: SignedRenewal {
        var entry = entry
        entry.willRenew = entry.willRenew == true ? true : nil
        return SignedRenewal(
            entry: entry, signedDate: signedDate, hasExpired: false, periodEnd: periodEnd, winBackOffers: nil)
    }

    /// Returns this information, restricted by newer information about other subscriptions, which may not be the customer's
    /// own. That may state a renewal or billing retry, and its lists may lack offers. It grants nothing.
    func restricted(by others: [SignedRenewal]) -> SignedRenewal {
        let others = others.filter { $0.signedDate >= signedDate }
        let renews = others.contains { $0.entry.willRenew == true }
        var entry = entry
        if renews { entry.willRenew = true }
        entry.isInBillingRetry = entry.isInBillingRetry || others.contains(where: \.entry.isInBillingRetry)
        let lists = others.compactMap(\.winBackOffers)
        var offers = winBackOffers ?? (lists.contains(where: \.isEmpty) ? [] : nil)
        for list in lists { offers = offers?.common(with: list) }
        if renews, offers?.isEmpty == false { offers = nil }
        return SignedRenewal(
            entry: entry, signedDate: signedDate, hasExpired: hasExpired && !renews, periodEnd: periodEnd,
            winBackOffers: offers)
    }

    /// Returns this information combined with other information of the same date about the same group.
    ///
    /// Neither is newer, so the combination claims only what both allow. The subscription renews if either
    /// states it. The grace period and billing retry run if either states it. A win-back offer is granted if
    /// all lists contain it.
    func combined(with other: SignedRenewal) -> SignedRenewal {
        var entry = entry
        if entry.willRenew != other.entry.willRenew {
            entry.willRenew = entry.willRenew == true || other.entry.willRenew == true ? true : nil
        }
        entry.isInBillingRetry = entry.isInBillingRetry || other.entry.isInBillingRetry
        entry.gracePeriodEnd = [entry.gracePeriodEnd, other.entry.gracePeriodEnd].compactMap(\.self).max()
        return SignedRenewal(
            entry: entry, signedDate: signedDate, hasExpired: hasExpired && other.hasExpired,
            periodEnd: [periodEnd, other.periodEnd].compactMap(\.self).max(),
            winBackOffers: other.winBackOffers.map { winBackOffers?.common(with: $0) ?? $0 } ?? winBackOffers)
    }
}

extension SignedRenewal {
    /// Returns whether an offer type is that of an introductory offer, or unknown.
    static func mayBeIntroductory(_ offerType: Int64?) -> Bool {
        offerType.map { !(2...4).contains($0) } ?? false
    }

    /// Returns whether an `expirationIntent` is one of those that Apple documents.
    static func hasExpired(_ intent: Int64?) -> Bool { intent.map { (1...5).contains($0) } ?? false }

    /// Returns whether the subscription renews, or nil if this is unknown. A subscription that expired for an unknown reason may
    /// continue under another identifier, as one that leaves a subscription bundle does.
    static func willRenew(_ autoRenewStatus: Bool?, intent: Int64?) -> Bool? {
        autoRenewStatus == false && intent != nil && !hasExpired(intent) ? nil : autoRenewStatus
    }

    static func willRenew(_ autoRenewStatus: Int64?, intent: Int64?) -> Bool? {
        willRenew(autoRenewStatus.flatMap { [0: false, 1: true][$0] }, intent: intent)
    }

    package init(_ information: VerifiedRenewalInfo) {
        entry = RenewalInformation.Entry(
            productID: information.productID, autoRenewProductID: information.autoRenewProductID,
            originalTransactionID: information.originalTransactionID,
            willRenew: Self.willRenew(information.autoRenewStatus, intent: information.expirationIntent),
            isInBillingRetry: information.isInBillingRetryPeriod ?? false,
            gracePeriodEnd: information.gracePeriodExpiresDate)
        signedDate = information.verifiedAt
        hasExpired = Self.hasExpired(information.expirationIntent)
        periodEnd = information.renewalDate
        winBackOffers = information.eligibleWinBackOfferIDs
        mayBeIntroductory = Self.mayBeIntroductory(information.offerType)
        seriesStart = information.recentSubscriptionStartDate
    }
}

extension Timestamp {
    /// Returns whether this date is more than a minute before another.
    func isWellBefore(_ other: Timestamp) -> Bool {
        secondsSince1970 < other.secondsSince1970 - 60
    }
}

extension [String] {
    /// Returns the texts that are in both arrays, each once and sorted, unless the arrays are equal. Compares
    /// bytes.
    fileprivate func common(with other: [String]) -> [String] {
        if elementsEqual(other, by: { $0.utf8.elementsEqual($1.utf8) }) { return self }
        let texts = Set(map { [UInt8]($0.utf8) }).intersection(other.map { [UInt8]($0.utf8) })
        return texts.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
