public import OfferEligibility

extension JSONWriter {
    /// Writes the object of one receipt and one product.
    /// - Parameters:
    ///   - verdict: what the rules say of the product.
    ///   - origin: where the receipt came from; nil for an object inside the receipt's own.
    public mutating func verdict(_ verdict: ProductVerdict, of origin: ReceiptOrigin? = nil) {
        object { json in
            if let origin { json.members(of: origin) }
            json.key("product_id")
            json.string(verdict.productID)
            json.key("subscription_group")
            json.string(verdict.subscriptionGroup)
            json.key("as_of")
            json.date(verdict.asOf.timestamp)
            json.key("evidence_date")
            json.date(verdict.evidenceDate)
            json.key("introductory_offer")
            json.offer(verdict.introductoryOffer)
            json.key("promotional_offer")
            json.offer(verdict.promotionalOffer)
            json.key("win_back_offer")
            json.offer(verdict.winBackOffer)
            json.key("subscription")
            json.state(verdict.subscription)
        }
    }

    private mutating func offer(_ offer: OfferVerdict) {
        object { json in
            json.key("outcome")
            json.string(offer.outcome.rawValue)
            json.key("rule")
            json.string(offer.rule.name)
            json.key("certainty")
            json.string(offer.certainty?.rawValue)
            json.key("configured")
            json.bool(offer.configured)
            json.key("transactions")
            json.array(offer.transactions) { $0.string($1) }
            json.key("explanation")
            json.string(offer.explanation)
            json.key("findings")
            json.array(offer.findings) { $0.string($1.name) }
            json.key("caveats")
            json.array(offer.caveats) { $0.string($1.rawValue) }
        }
    }

    private mutating func state(_ state: SubscriptionState) {
        object { json in
            json.key("state")
            json.string(state.kind.rawValue)
            json.key("product_id")
            json.string(state.productID)
            json.key("since")
            json.date(state.since)
            json.key("until")
            json.date(state.until)
        }
    }

    /// Writes the object of one rule.
    public mutating func rule(_ rule: OfferRule) {
        object { json in
            json.key("offer")
            json.string(rule.offer.rawValue)
            json.key("rule")
            json.string(rule.id.name)
            json.key("summary")
            json.string(rule.summary)
            json.key("citation")
            json.string(rule.citation)
        }
    }
}
