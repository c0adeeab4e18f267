import AppReceipt
import OfferEligibility
import ReceiptJSON
import StrictJSON

extension EvidenceMaker {
    /// Returns the eligibility verdicts as JSON and as text.
    func eligibility(
        _ question: EvidenceQuestion, _ verdicts: [ProductVerdict], _ parts: EvidenceParts
    ) -> [EvidenceFile] {
        var json = JSONWriter()
        for verdict in verdicts {
            json.verdict(verdict)
            json.endLine()
        }
        return [
            EvidenceFile("eligibility.json", json.bytes),
            EvidenceFile("eligibility.txt", Self.answer(to: question, verdicts, parts.contentName)),
        ]
    }

    /// The maximum number of products in `eligibility.txt`. Each takes four lines, so the text has at most 30
    /// lines.
    private static let mostProducts = 6

    /// Returns the answer for a person, in at most 30 lines. Text from the evidence is quoted as in JSON.
    private static func answer(
        to question: EvidenceQuestion, _ verdicts: [ProductVerdict], _ content: String
    ) -> String {
        let policies = question.rules.policies
        let evidence = verdicts.first?.evidenceDate?.rfc3339 ?? "no date"
        let catalog = question.catalog == nil ? "one group of all subscriptions" : "catalog.json"
        var text = """
            Question: which offers are open as of \(question.asOf.timestamp.rfc3339), by \(catalog)?
            Policies: refunds \(policies.refunds.rawValue), stale evidence \(policies.staleEvidence.rawValue), \
            partial evidence \(policies.partialEvidence.rawValue), promotional scope \
            \(policies.promotionalScope.rawValue)
            Evidence: \(content), of \(evidence); reasons: eligibility.json; rules: appreceipt rules

            """
        for verdict in verdicts.prefix(mostProducts) {
            text +=
                "\(quoted(verdict.productID)), group \(verdict.subscriptionGroup.map(quoted) ?? "unnamed"):\n"
            for (name, offer) in [
                ("introductory", verdict.introductoryOffer), ("promotional", verdict.promotionalOffer),
                ("win-back", verdict.winBackOffer),
            ] {
                text += "    \(name): \(offer.outcome.rawValue) by \(offer.rule.name)"
                text += "\(offer.certainty.map { ", \($0.rawValue)" } ?? "")"
                let names = offer.transactions.prefix(3).map { Self.name($0, verdict) }
                text += names.isEmpty ? "\n" : "; rests on \(names.joined(separator: ", "))"
                if !names.isEmpty { text += offer.transactions.count > 3 ? " and others\n" : "\n" }
            }
        }
        let others = verdicts.count - mostProducts
        return text + (others > 0 ? "\(others) more products: see eligibility.json\n" : "")
    }

    /// Returns a transaction's ID with its period if it is a subscription.
    private static func name(_ id: String, _ verdict: ProductVerdict) -> String {
        guard let period = verdict.periods.first(where: { $0.transactionID?.isExactly(id) == true }) else {
            return quoted(id)
        }
        return "\(quoted(id)) (\(period.start?.rfc3339 ?? "no date") to \(period.end.rfc3339))"
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONWriter.text { $0.string(text) }, as: UTF8.self)
    }
}
