import AppReceipt
import OfferEligibility
import ReceiptJSON

extension EvidenceMaker {
    /// The verdicts as JSON and with their reasons, and the catalogue that they rest on.
    func eligibility(
        _ question: EvidenceQuestion, _ verdicts: [ProductVerdict], on object: VerifiedObject,
        _ citations: [Citation]
    ) -> [EvidenceFile] {
        var json = JSONWriter()
        for verdict in verdicts {
            json.verdict(verdict)
            json.endLine()
        }
        let content = EvidenceParts.content(of: object.format)
        let reasons = EligibilityReasons(purchases: CitedPurchases(citations), content: content)
        var files = [
            EvidenceFile("eligibility.json", json.bytes),
            EvidenceFile("eligibility.txt", reasons.text(of: verdicts, question.rules.policies)),
        ]
        if let catalog = question.catalog { files.append(EvidenceFile("catalog.json", catalog)) }
        return files
    }
}

/// The purchases that citations tell of, by transaction.
struct CitedPurchases {
    /// What a rule may look at, by the last part of its path.
    private static let names: Set<String> = [
        "product_id", "product_type", "purchase_date", "expires_date", "cancellation_date", "is_trial_period",
        "is_in_intro_offer_period", "productId", "type", "purchaseDate", "expiresDate", "revocationDate",
        "offerType", "offerDiscountType", "isUpgraded", "inAppOwnershipType", "subscriptionGroupIdentifier",
        "product-id", "purchase-date-ms", "expires-date", "is-trial-period", "is-in-intro-offer-period",
    ]
    private var values: [[UInt8]: [(name: String, citation: Citation)]] = [:]

    init(_ citations: [Citation]) {
        var purchases: [[UInt8]: [(String, Citation)]] = [:]
        var ids: [(purchase: [UInt8], id: [UInt8])] = []
        for citation in citations {
            guard let dot = citation.path.lastIndex(of: UInt8(ascii: ".")) else { continue }
            let name = String(decoding: citation.path[(dot + 1)...], as: UTF8.self)
            let purchase = Array(citation.path[..<dot])
            if ["transaction_id", "transactionId", "transaction-id"].contains(name) {
                ids.append((purchase, citation.value))
            }
            if Self.names.contains(name) { purchases[purchase, default: []].append((name, citation)) }
        }
        for (purchase, id) in ids where values[id] == nil { values[id] = purchases[purchase] }
    }

    /// - Parameter id: of the transaction.
    subscript(id: String?) -> [(name: String, citation: Citation)] {
        guard let id else { return [] }
        return values[JSONWriter.text { $0.string(id) }] ?? []
    }
}

/// The reasons of verdicts, for a person who follows them by hand. What comes from strangers stands in quotes, as JSON.
struct EligibilityReasons {
    let purchases: CitedPurchases
    /// The file in which the offsets count.
    let content: String

    func text(of verdicts: [ProductVerdict], _ policies: OfferPolicies) -> String {
        var text = """
            Why each offer is open or closed, so that it can be followed by hand. The values are cited from the bytes of
            \(content), the groups are those of catalog.json, and the rules are those that "appreceipt rules" lists.
            Policies: refunds \(policies.refunds.rawValue), stale evidence \(policies.staleEvidence.rawValue), \
            partial evidence \(policies.partialEvidence.rawValue), promotional scope \
            \(policies.promotionalScope.rawValue).

            """
        for verdict in verdicts {
            let asOf = verdict.asOf.timestamp
            text += "\nProduct \(quoted(verdict.productID))\n"
            text += "  group: \(verdict.subscriptionGroup.map(quoted) ?? "none that is named")\n"
            text += "  as of: \(instant(asOf))\(isClock(verdict) ? ", read from a clock" : ", as asked")\n"
            if let date = verdict.evidenceDate { text += "  evidence of: \(instant(date))\n" }
            text += "  purchases of the group by then: \(verdict.periods.count)\n"
            for period in verdict.periods { text += self.text(of: period, asOf: asOf) }
            for (name, offer) in [
                ("introductory", verdict.introductoryOffer), ("promotional", verdict.promotionalOffer),
                ("win-back", verdict.winBackOffer),
            ] { text += self.text(of: offer, name) }
        }
        return text
    }

    private func isClock(_ verdict: ProductVerdict) -> Bool {
        if case .clock = verdict.asOf { true } else { false }
    }

    private func text(of period: SubscriptionPeriod, asOf: Timestamp) -> String {
        let id = period.transactionID
        var text = "    transaction \(id.map(quoted) ?? "without an id"): \(period.kind.rawValue)\n"
        for (name, citation) in purchases[id] {
            let value = String(decoding: citation.value, as: UTF8.self)
            let range = citation.range
            text += "      \(name) \(value) (bytes \(range.lowerBound) to \(range.upperBound - 1))\n"
        }
        if let start = period.start { text += "      begins \(compared(start, asOf))\n" }
        return text + "      ends   \(compared(period.end, asOf))\n"
    }

    /// The arithmetic of two dates.
    private func compared(_ date: Timestamp, _ asOf: Timestamp) -> String {
        let (first, second) = (date.millisecondsSince1970, asOf.millisecondsSince1970)
        let relation =
            first == second ? "at that instant" : first < second ? "before it" : "after it: still to come"
        let (difference, overflows) = first.subtractingReportingOverflow(second)
        guard !overflows, difference != .min else { return "\(date.rfc3339), \(relation)" }
        let days = abs(difference) / 86_400_000
        let clock = Timestamp(millisecondsSince1970: abs(difference) % 86_400_000).rfc3339.dropFirst(11)
            .dropLast()
        return
            "\(instant(date)); \(first) - \(second) = \(difference) ms, \(days) days and \(clock): \(relation)"
    }

    private func instant(_ date: Timestamp) -> String { "\(date.rfc3339) = \(date.millisecondsSince1970) ms" }

    private func text(of offer: OfferVerdict, _ name: String) -> String {
        let certainty = offer.certainty.map { ", \($0.rawValue)" } ?? ""
        var text = "  \(name) offer: \(offer.outcome.rawValue) by rule \(offer.rule.name)\(certainty)\n"
        for rule in OfferRule.all where rule.offer == offer.offer {
            let mark =
                rule.id == offer.rule ? "decides" : offer.findings.contains(rule.id) ? "applies" : "-"
            text += "    \(mark.padded(8))\(rule.id.name): \(rule.summary)\n"
            if rule.id == offer.rule { text += "            source: \(rule.citation)\n" }
        }
        if !offer.transactions.isEmpty {
            text += "    rests on \(offer.transactions.map(quoted).joined(separator: ", "))\n"
        }
        if !offer.caveats.isEmpty {
            text += "    caveats: \(offer.caveats.map(\.rawValue).joined(separator: ", "))\n"
        }
        return text
    }

    private func quoted(_ text: String) -> String {
        String(decoding: JSONWriter.text { $0.string(text) }, as: UTF8.self)
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - utf8.count))
    }
}
