/// The choices that the rules leave to the app's developer.
public struct OfferPolicies: Hashable, Sendable {
    /// The effect of a refunded subscription on the group's introductory offers.
    public enum Refunds: String, Sendable, CaseIterable {
        /// A customer with a refund gets no further introductory offer of the group.
        case block
        /// A refunded purchase counts like any other purchase.
        case ignore
    }

    /// The answer if the last period may have renewed since the evidence was signed.
    public enum StaleEvidence: String, Sendable, CaseIterable {
        /// The outcome is unchanged and has the caveat ``OfferCaveat/renewalPossible``.
        case accept
        /// The outcome is undetermined.
        case undetermined
    }

    /// The answer if it depends on missing purchases, and the evidence may not list all purchases.
    public enum PartialEvidence: String, Sendable, CaseIterable {
        /// The outcome is unchanged and has the caveat ``OfferCaveat/partialEvidence``.
        case accept
        /// The outcome is undetermined.
        case undetermined
    }

    /// The subscribers who get promotional offers.
    public enum PromotionalScope: String, Sendable, CaseIterable {
        /// Current and lapsed subscribers of the product's group.
        case group
        /// Current and lapsed subscribers of any group of the app. The App Store itself counts them this way.
        case app
    }

    /// The effect of a refund on the group's introductory offers. The default is ``Refunds/block``.
    public var refunds: Refunds
    /// The answer if a period may have renewed since the evidence was signed. The default is
    /// ``StaleEvidence/accept``.
    public var staleEvidence: StaleEvidence
    /// The answer if the evidence may not list all purchases. The default is ``PartialEvidence/accept``.
    public var partialEvidence: PartialEvidence
    /// The subscribers who get promotional offers. The default is ``PromotionalScope/group``.
    public var promotionalScope: PromotionalScope

    /// Creates policies, with the defaults for omitted arguments.
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
