public import AppReceipt

/// The instant that a question is about, and where it comes from.
public enum EligibilityInstant: Hashable, Sendable {
    /// A reading of a clock: earlier than the receipt's own creation date means that the clock is wrong.
    case clock(Timestamp)

    /// A question about a day, past or future: later transactions are left out.
    case date(Timestamp)

    /// The instant itself.
    public var timestamp: Timestamp {
        switch self {
        case .clock(let timestamp), .date(let timestamp): timestamp
        }
    }
}

/// What the rules leave to the business that asks.
public struct OfferPolicies: Hashable, Sendable {
    /// Whether a refund of a subscription closes the group's introductory offers.
    public enum Refunds: String, Sendable, CaseIterable {
        /// A customer who got the money back gets no introductory offer of the group again.
        case block
        /// Refunds count as if nothing had been paid back.
        case ignore
    }

    /// What to answer where the last period was running when the receipt was made and is over since.
    public enum StaleEvidence: String, Sendable, CaseIterable {
        /// The outcome stands with the caveat ``OfferCaveat/renewalPossible``.
        case accept
        /// The outcome is undetermined.
        case undetermined
    }

    /// The answer where nothing was bought, or bought again, in evidence that does not list all purchases.
    public enum PartialEvidence: String, Sendable, CaseIterable {
        /// The outcome stands with the caveat ``OfferCaveat/partialEvidence``.
        case accept
        /// The outcome is undetermined.
        case undetermined
    }

    /// Whose subscribers get promotional offers.
    public enum PromotionalScope: String, Sendable, CaseIterable {
        /// Current and lapsed subscribers of the product's group.
        case group
        /// Current and lapsed subscribers of any group of the app, as the App Store itself counts.
        case app
    }

    /// Whether a refund closes the group's introductory offers; by default it does.
    public var refunds: Refunds
    /// What to answer where a period may have renewed since the receipt was made; by default the outcome with a
    /// caveat.
    public var staleEvidence: StaleEvidence
    /// The answer where no evidence lists all purchases; by default the outcome with a caveat.
    public var partialEvidence: PartialEvidence
    /// Whose subscribers get promotional offers; by default those of the product's group.
    public var promotionalScope: PromotionalScope

    /// The policies that are named, and the defaults for the others.
    public init(
        refunds: Refunds = .block, staleEvidence: StaleEvidence = .accept,
        partialEvidence: PartialEvidence = .accept, promotionalScope: PromotionalScope = .group
    ) {
        self.refunds = refunds
        self.staleEvidence = staleEvidence
        self.partialEvidence = partialEvidence
        self.promotionalScope = promotionalScope
    }
}
