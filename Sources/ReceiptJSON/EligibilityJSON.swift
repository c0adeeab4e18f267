public import OfferEligibility

extension JSONWriter {
    /// Writes the object of one receipt and one product.
    /// - Parameters:
    ///   - verdict: The verdict on the product.
    ///   - origin: The source or record of the receipt, or nil for an object inside the receipt's own object.
    public mutating func verdict(_ verdict: ProductVerdict, of origin: ReceiptOrigin? = nil) {
        object { json in
            if let origin { json.members(of: origin) }
            json.members(of: verdict)
        }
    }

    /// Writes the object of all evidence about one customer and one product.
    /// - Parameters:
    ///   - verdict: The verdict on the product.
    ///   - sources: The files that contain a genuine object, in the order given.
    public mutating func verdict(_ verdict: ProductVerdict, ofSources sources: [String]) {
        object { json in
            json.key("sources")
            json.array(sources) { $0.string($1) }
            json.members(of: verdict)
        }
    }

    mutating func members(of verdict: ProductVerdict) {
        key("product_id")
        string(verdict.productID)
        key("subscription_group")
        string(verdict.subscriptionGroup)
        key("as_of")
        date(verdict.asOf.timestamp)
        key("evidence_date")
        date(verdict.evidenceDate)
        key("introductory_offer")
        offer(verdict.introductoryOffer)
        key("promotional_offer")
        offer(verdict.promotionalOffer)
        key("win_back_offer")
        offer(verdict.winBackOffer)
        key("subscription")
        state(verdict.subscription)
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
            if let offers = offer.offers {
                json.key("offers")
                json.array(offers) { $0.string($1) }
            }
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
