public import OfferEligibility
public import ReceiptExamination
public import StrictJSON

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
            json.array("sources", sources) { $0.string($1) }
            json.members(of: verdict)
        }
    }

    mutating func members(of verdict: ProductVerdict) {
        string("product_id", verdict.productID)
        string("subscription_group", verdict.subscriptionGroup)
        date("as_of", verdict.asOf.timestamp)
        date("evidence_date", verdict.evidenceDate)
        offer("introductory_offer", verdict.introductoryOffer)
        offer("promotional_offer", verdict.promotionalOffer)
        offer("win_back_offer", verdict.winBackOffer)
        let state = verdict.subscription
        object("subscription") { json in
            json.string("state", state.kind.rawValue)
            json.string("product_id", state.productID)
            json.date("since", state.since)
            json.date("until", state.until)
        }
    }

    private mutating func offer(_ name: StaticString, _ offer: OfferVerdict) {
        object(name) { json in
            json.string("outcome", offer.outcome.rawValue)
            json.string("rule", offer.rule.name)
            json.string("certainty", offer.certainty?.rawValue)
            json.bool("configured", offer.configured)
            json.array("transactions", offer.transactions) { $0.string($1) }
            if let offers = offer.offers {
                json.array("offers", offers) { $0.string($1) }
            }
            json.string("explanation", offer.explanation)
            json.array("findings", offer.findings) { $0.string($1.name) }
            json.array("caveats", offer.caveats) { $0.string($1.rawValue) }
        }
    }

    /// Writes the object of one rule.
    public mutating func rule(_ rule: OfferRule) {
        object { json in
            json.string("offer", rule.offer.rawValue)
            json.string("rule", rule.id.name)
            json.string("summary", rule.summary)
            json.string("citation", rule.citation)
        }
    }
}
