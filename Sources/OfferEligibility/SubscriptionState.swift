public import AppReceipt

/// Where the subscription of a group stands.
public struct SubscriptionState: Hashable, Sendable {
    /// The states by name.
    public enum Kind: String, Sendable {
        /// A period is running.
        case active
        /// The period is over and not paid again; access is to be given until the grace period ends.
        case gracePeriod = "grace_period"
        /// The App Store still tries to charge the customer.
        case billingRetry = "billing_retry"
        /// The last period expired, or ended by a switch.
        case lapsed
        /// The last period ended by a refund.
        case refunded
        /// Nothing was bought in the group.
        case neverSubscribed = "never_subscribed"
        /// The evidence does not say: an uncatalogued product, uncatalogued history, an unknown ownership, no evidence of
        /// purchases, a wrong clock.
        case unknown
    }

    /// The state.
    public var kind: Kind
    /// The product of the period that ends or ended last.
    public var productID: String?
    /// Since when the state holds: the purchase of the running period, else the end of the last one.
    public var since: Timestamp?
    /// Until when, where that is known: the end of the running period or of the grace period.
    public var until: Timestamp?
}

extension ProductVerdict {
    /// Where the subscription of the product's group stands at the instant asked.
    public var subscription: SubscriptionState {
        guard let facts, let situation, !situation.clockIsWrong else {
            return SubscriptionState(kind: .unknown)
        }
        let history = inquiry.history
        if let running = runningPeriod {
            let transaction = history.transactions[running]
            return SubscriptionState(
                kind: .active, productID: history.string(transaction.product), since: transaction.purchased,
                until: transaction.end(asOf: asOf.timestamp))
        }
        if isHistoryUnknown { return SubscriptionState(kind: .unknown) }
        guard let last = facts.last else {
            if let end = facts.graceEnd { return SubscriptionState(kind: .gracePeriod, until: end) }
            let isUnknown = situation.hasUncatalogued || situation.hasUnknownOwner
            return SubscriptionState(kind: isUnknown ? .unknown : .neverSubscribed)
        }
        let product = history.string(history.transactions[last.index].product)
        var state = SubscriptionState(kind: .lapsed, productID: product, since: last.end)
        if let end = facts.graceEnd {
            state.kind = .gracePeriod
            state.until = end
        } else if situation.isInBillingRetry {
            state.kind = .billingRetry
        } else if facts.endedByRefund(in: history) {
            state.kind = .refunded
        }
        return state
    }

    /// The place of the period that runs longest, of the customer or of the family.
    var runningPeriod: Int? { facts?.longest?.index }

    /// The periods of the product's group that were bought by the instant asked, by whichever owner, in the order of
    /// purchase.
    public var periods: [SubscriptionPeriod] {
        guard let slot, let facts else { return [] }
        let history = inquiry.history
        let refunded = Set(facts.refunded)
        var indices = inquiry.transactions(inSlot: slot)
        if let others = signed.map({ $0.shared + $0.unknownOwners }), !others.isEmpty {
            indices = (indices + others).sorted(by: history.precedes)
        }
        return indices.map { index in
            let transaction = history.transactions[index]
            return SubscriptionPeriod(
                transactionID: history.string(transaction.id), productID: history.string(transaction.product),
                start: transaction.purchased, end: transaction.end(asOf: asOf.timestamp),
                kind: transaction.kind(isRefunded: refunded.contains(index)))
        }
    }
}

extension Transaction {
    fileprivate func kind(isRefunded: Bool) -> SubscriptionPeriod.Kind {
        switch standing {
        case .familyShared: .shared
        case .unknownOwner: .unknown
        case .own, .superseded: isRefunded ? .refunded : isUnpaid ? .trial : usedOffer ? .intro : .paid
        }
    }
}

/// One period of a subscription, for display.
public struct SubscriptionPeriod: Hashable, Sendable {
    /// How a period was paid.
    public enum Kind: String, Sendable {
        /// A free trial, or free under another offer.
        case trial
        /// At an introductory price.
        case intro
        /// At the full price, as far as the evidence tells.
        case paid
        /// Cancelled, and not by a switch within the group.
        case refunded
        /// By a member of the family.
        case shared
        /// By an owner that no rule knows.
        case unknown
    }

    /// The transaction; nil where the evidence does not name it.
    public let transactionID: String?
    /// The product; nil where the evidence does not name it.
    public let productID: String?
    /// Nil where the evidence names no purchase date.
    public let start: Timestamp?
    /// The expiry or the cancellation, whichever is first.
    public let end: Timestamp
    /// How the period was paid.
    public let kind: Kind
}
