import OfferEligibility

extension RowCells {
    /// Adds the columns of a verdict: ``ReceiptRows/verdictColumns`` from the second on.
    mutating func add(_ verdict: ProductVerdict) {
        let introductory = verdict.introductoryOffer
        let promotional = verdict.promotionalOffer
        let winBack = verdict.winBackOffer
        let state = verdict.subscription
        add(verdict.productID)
        add(verdict.subscriptionGroup)
        add(introductory.outcome.rawValue)
        add(introductory.rule.name)
        add(introductory.certainty?.rawValue)
        add(caveats: introductory)
        add(promotional.outcome.rawValue)
        add(promotional.rule.name)
        add(promotional.certainty?.rawValue)
        add(winBack.outcome.rawValue)
        add(winBack.rule.name)
        add(winBack.certainty?.rawValue)
        add(state.kind.rawValue)
        add(state.productID)
        add(state.since)
        add(state.until)
    }

    mutating func add(caveats verdict: OfferVerdict) {
        add(verdict.caveats.map(\.rawValue).joined(separator: ","))
    }
}
