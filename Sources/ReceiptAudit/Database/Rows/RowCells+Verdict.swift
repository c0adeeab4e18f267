import OfferEligibility
import ReceiptJSON

// Without a verdict or a customer, these functions name the columns.

extension RowCells {
    /// Adds the columns of a verdict on a receipt or a customer.
    mutating func add(verdict: ProductVerdict?) {
        let introductory = verdict?.introductoryOffer
        let promotional = verdict?.promotionalOffer
        let winBack = verdict?.winBackOffer
        let state = verdict?.subscription
        add("product_id", verdict?.productID, rules: "NOT NULL")
        add("subscription_group", verdict?.subscriptionGroup)
        add(
            "introductory_outcome", introductory?.outcome.rawValue, "eligible, ineligible, undetermined",
            rules: "NOT NULL")
        add("introductory_rule", introductory?.rule.name, rules: "NOT NULL")
        add("introductory_certainty", introductory?.certainty?.rawValue)
        add("introductory_caveats", introductory?.caveatNames, "joined by commas", rules: "NOT NULL")
        add("promotional_outcome", promotional?.outcome.rawValue, rules: "NOT NULL")
        add("promotional_rule", promotional?.rule.name, rules: "NOT NULL")
        add("promotional_certainty", promotional?.certainty?.rawValue)
        add("win_back_outcome", winBack?.outcome.rawValue, rules: "NOT NULL")
        add("win_back_rule", winBack?.rule.name, rules: "NOT NULL")
        add("win_back_certainty", winBack?.certainty?.rawValue)
        add("state", state?.kind.rawValue, rules: "NOT NULL")
        add("state_product_id", state?.productID)
        add("state_since", state?.since)
        add("state_until", state?.until)
    }

    /// Adds the columns of a verdict on a customer.
    mutating func add(verdict: ProductVerdict?, receipts: [Int64]) {
        key("customer_id", "NOT NULL REFERENCES customers (id)")
        add(verdict: verdict)
        add("promotional_caveats", verdict?.promotionalOffer.caveatNames, rules: "NOT NULL")
        add("win_back_caveats", verdict?.winBackOffer.caveatNames, rules: "NOT NULL")
        add(
            "receipts",
            verdict.map { _ in receipts.map { "\($0)" }.joined(separator: ",") },
            "the first 100 that the introductory answer is based on, joined by commas", rules: "NOT NULL")
    }

    mutating func add(customer: Customer?, purchases: Int?) {
        key("id", "PRIMARY KEY")
        key("newest_receipt_id", "NOT NULL REFERENCES receipts (id)")
        add("subject", stored: customer?.key.subject)
        add("environment", stored: customer?.key.environment)
        add(
            "bundle_id", stored: customer?.key.bundleID,
            "NULL: a subject with only renewal information, which names no app")
        add("receipts", customer?.snapshot.count, rules: "NOT NULL")
        add("purchases", purchases, "each counted once")
        add("evidence_date", customer?.snapshot.evidenceDate, "the creation date of the newest receipt")
        add(
            "linked_by", customer?.linkedBy.map { $0.map(\.rawValue).joined(separator: ",") },
            """
            the links used: app_account_token, app_transaction_id,
            original_transaction_id, joined by commas; NULL: the subject
            """)
        add(
            "unjudged", customer?.snapshot.unjudged,
            "the reason why there are no verdicts and no count of purchases")
    }
}

extension OfferVerdict {
    fileprivate var caveatNames: String { caveats.map(\.rawValue).joined(separator: ",") }
}
