public import AppReceipt

/// The state of a customer's subscription in a group.
public struct SubscriptionState: Hashable, Sendable {
    /// The kinds of state.
    public enum Kind: String, Sendable {
        /// A period is running.
        case active
        /// The period ended without a payment. Give access until the grace period ends.
        case gracePeriod = "grace_period"
        /// The App Store still tries to charge the customer.
        case billingRetry = "billing_retry"
        /// The last period expired, or ended by a switch.
        case lapsed
        /// The last period ended by a refund.
        case refunded
        /// The customer bought nothing in the group.
        case neverSubscribed = "never_subscribed"
        /// The evidence does not show the state. Possible reasons are an uncatalogued product, uncatalogued
        /// history, an unknown ownership, no evidence of purchases, a running period that only renewal information
        /// shows, and a wrong clock.
        case unknown
    }

    /// The state.
    public var kind: Kind
    /// The product of the running period that ends last, else of the period that ended last.
    public var productID: String?
    /// The start of the state: the purchase date of the running period, else the end of the last period.
    public var since: Timestamp?
    /// The end of the state, if known: the end of the running period or of the grace period.
    public var until: Timestamp?
}

extension ProductVerdict {
    /// The subscription state of the product's group at the evaluation date.
    public var subscription: SubscriptionState {
        guard let facts, let input, !input.clockIsWrong else {
            return SubscriptionState(kind: .unknown)
        }
        let history = customer.history
        if let running = runningPeriod {
            let transaction = history.transactions[running]
            return SubscriptionState(
                kind: .active, productID: history.string(transaction.product), since: transaction.purchased,
                until: transaction.end(asOf: asOf.timestamp))
        }
        if isHistoryUnknown || input.isUnlistedRunning && facts.graceEnd == nil {
            return SubscriptionState(kind: .unknown)
        }
        guard let last = facts.last else {
            if let end = facts.graceEnd { return SubscriptionState(kind: .gracePeriod, until: end) }
            let isUnknown = input.hasUncatalogued || input.hasJoinedHistory || input.hasUnknownOwner
            return SubscriptionState(kind: isUnknown ? .unknown : .neverSubscribed)
        }
        let product = history.string(history.transactions[last.index].product)
        var state = SubscriptionState(kind: .lapsed, productID: product, since: last.statedEnd)
        if let end = facts.graceEnd {
            state.kind = .gracePeriod
            state.until = end
        } else if input.isInBillingRetry {
            state.kind = .billingRetry
        } else if facts.endedByRefund(in: history) {
            state.kind = .refunded
        }
        return state
    }

    /// The index of the running period that ends last, for any owner.
    var runningPeriod: Int? { facts?.longest?.index }

    /// The periods of the product's group that were bought by the evaluation date, for any owner, in the
    /// order of purchase.
    public var periods: [SubscriptionPeriod] {
        guard let slot, let facts else { return [] }
        let history = customer.history
        let refunded = Set(facts.refunded)
        var indices = customer.transactions(inSlot: slot)
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
        case .own, .superseded:
            isRefunded ? .refunded : isTrial == true || isUnpaid == true ? .trial : usedOffer ? .intro : .paid
        }
    }
}
