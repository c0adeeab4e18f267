import AppReceipt
import Foundation
import OfferEligibility
import StrictJSON

extension Check {
    /// Catalogs. After a catalog is read, every rule must give an answer.
    static let catalog = json("catalog", seeds: JSONSeeds.catalogs) { bytes throws(JSONError) in
        let catalog = try SubscriptionCatalog(parsing: bytes)
        let products = Array(catalog.products.map(\.id).prefix(8)) + ["nobody's"]
        return verdicts(OfferRules(catalog: catalog), products, JSONSeeds.history, nil)
    }

    /// Renewal information, checked in the same way.
    static let renewals = json("renewals", seeds: JSONSeeds.renewals) { bytes throws(JSONError) in
        let renewals = try RenewalInformation(parsing: bytes)
        return verdicts(JSONSeeds.rules, ["com.example.monthly"], JSONSeeds.history, renewals)
    }

    /// Saved responses of verifyReceipt, checked in the same way.
    static let answers = json("answers", seeds: JSONSeeds.answers) { bytes throws(JSONError) in
        do throws(SavedAnswerError) {
            let history = try PurchaseHistory(trusting: bytes)
            return verdicts(JSONSeeds.rules, ["com.example.monthly"], history, nil)
        } catch {
            switch error {
            case .unreadable(let problem): throw problem
            case .contradiction: return nil
            }
        }
    }

    private static func verdicts(
        _ rules: OfferRules, _ products: [String], _ history: PurchaseHistory,
        _ renewals: RenewalInformation?
    ) -> [ProductVerdict] {
        let asOf = EligibilityInstant.date(Timestamp(millisecondsSince1970: 1_717_236_000_000))
        return rules.verdicts(for: products, in: history, asOf: asOf, renewals: renewals)
    }

    private static func describe(_ verdicts: [ProductVerdict]) -> String {
        verdicts.map { verdict in
            [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer].map {
                "\($0.rule)\($0.findings.count)\($0.transactions.count)\($0.caveats.count)"
            }.joined(separator: " ")
        }.joined(separator: ", ")
    }

    /// Returns a check that Foundation accepts all JSON that `read` accepts.
    private static func json(
        _ name: String, seeds: [String],
        _ read: @escaping @Sendable ([UInt8]) throws(JSONError) -> [ProductVerdict]?
    ) -> Check {
        Check(name: name, form: .bytes, longest: 2048, seeds: { seeds.map { Array($0.utf8) } }) { bytes in
            do throws(JSONError) {
                let verdicts = try read(bytes)
                let isJSON =
                    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
                let fault = isJSON || hasHugeNumber(bytes) ? nil : "Foundation refuses this JSON"
                return Outcome(answer: verdicts.map(describe) ?? "contradiction", fault: fault)
            } catch {
                let isInside = (0...bytes.count).contains(error.offset)
                return Outcome(answer: error.description, fault: isInside ? nil : "the offset lies outside")
            }
        }
    }
}

/// Returns whether a number may exceed the range of Double, which limits Foundation: an exponent of three
/// digits, or three hundred digits.
private func hasHugeNumber(_ bytes: [UInt8]) -> Bool {
    bytes.split {
        !(0x30...0x39).contains($0) && $0 != 0x65 && $0 != 0x45 && $0 != 0x2B && $0 != 0x2D && $0 != 0x2E
    }
    .contains { part in
        part.count > 300 || part.split { $0 == 0x65 || $0 == 0x45 }.dropFirst().contains { $0.count > 2 }
    }
}

/// Small files of each format.
enum JSONSeeds {
    static let rules = known { () throws(JSONError) in
        OfferRules(catalog: try SubscriptionCatalog(parsing: catalogs[0].utf8))
    }
    static let history = known { () throws(SavedAnswerError) in try PurchaseHistory(trusting: answers[0].utf8)
    }

    /// Returns the value of a closure that reads a constant. Traps if it throws.
    private static func known<Value, Failure>(_ read: () throws(Failure) -> Value) -> Value {
        do { return try read() } catch { fatalError("\(error)") }
    }

    static let catalogs = [
        #"{"subscriptionGroups":[{"id":"21","subscriptions":[{"productID":"com.example.monthly","groupNumber":1,"introductoryOffer":null,"adHocOffers":[{"offerID":"back"}],"winbackOffers":[{"offerID":"w","customerEligibilityPaidSubscriptionDurationInMonths":2,"customerEligibilityTimeSinceLastSubscribedInMonths":{"minimum":1,"maximum":9},"customerEligibilityWaitBetweenOffersInMonths":3}]},{"productID":"com.example.yearly","groupNumber":2,"introductoryOffers":[{}]}]}],"version":{"major":5,"minor":0}}"#,
        #"{"groups":{"a":["com.example.monthly","com.example.yearly"],"b":["c"]}}"#,
    ]
    static let renewals = [
        #"{"status":0,"pending_renewal_info":[{"product_id":"com.example.monthly","auto_renew_product_id":"com.example.yearly","auto_renew_status":"1","is_in_billing_retry_period":"0","grace_period_expires_date_ms":"1718000000000","original_transaction_id":"1"}]}"#,
        #"[{"auto_renew_product_id":"com.example.yearly","auto_renew_status":false,"grace_period_expires_date":"2024-07-01 10:00:00 Etc/GMT"}]"#,
    ]
    static let answers = [
        #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example","receipt_creation_date_ms":"1717236000000","in_app":[{"product_id":"com.example.monthly","transaction_id":"1","original_transaction_id":"1","purchase_date_ms":"1714557600000","expires_date_ms":"1717236000000","is_trial_period":"true"}]},"latest_receipt_info":[{"product_id":"com.example.monthly","transaction_id":"2","original_transaction_id":"1","purchase_date":"2024-06-01 10:00:00 Etc/GMT","expires_date":"2024-07-01 10:00:00 Etc/GMT","cancellation_date":"","is_upgraded":"false","promotional_offer_id":"w"}]}"#,
        #"[{"product_id":"p","purchase_date":"1717236000000"}]"#,
    ]
}
