import AppReceipt
import StrictJSON
import TestSupport
import Testing

@testable import OfferEligibility

/// The time to read and compare untrusted text is proportional to its size, whatever its characters are.
struct TextCostTests {
    private static func saved(_ answer: String) -> PurchaseHistory? {
        try? PurchaseHistory(trusting: Array(answer.utf8))
    }

    private static func catalog(_ json: String) -> SubscriptionCatalog? {
        try? SubscriptionCatalog(parsing: Array(json.utf8))
    }

    private static func members(_ first: String, _ text: (Int) -> String) -> String {
        (0..<60).map { "\"\(first)\(text(1000))\($0)\":0," }.joined()
    }

    /// Returns the work on a text from a function that makes text of a number of bytes.
    typealias Work = @Sendable ((Int) -> String) -> () -> Bool

    /// Checks that marks take less than 20 times as long as letters of the same size. Quadratic work takes
    /// hundreds of times as long. Measures again if another process slowed the marks.
    @Test(
        arguments: [
            // names of a catalog's members
            { text in
                let json = "{\(members("groups", text))\"groups\":{\"a\":[\"b\"]}}"
                return { catalog(json) != nil }
            },
            { text in
                let product = "{\(members("product", text))\"productID\":\"p\"}"
                let json =
                    "{\"subscriptionGroups\":[{\(members("id", text))\"id\":\"g\",\"subscriptions\":[\(product)]}]}"
                return { catalog(json) != nil }
            },
            // product IDs
            { text in
                let products = (0..<60).map { "\"p\(text(1000))\($0)\"" }.joined(separator: ",")
                let json = "{\"groups\":{\"g\(text(1000))\":[\(products)]}}"
                return { catalog(json)?.products.count == 60 }
            },
            // values of a saved response
            { text in
                let transactions = (0..<60).map {
                    #"{"product_id":"p\#($0)","in_app_ownership_type":"P\#(text(1000))","#
                        + #""subscription_group_identifier":"0\#(text(1000))"}"#
                }
                let json =
                    #"{"receipt_type":"P\#(text(1000))","in_app":[\#(transactions.joined(separator: ","))]}"#
                return { saved(json)?.count == 60 }
            },
            // renewal information about other products
            { text in
                let json = #"{"in_app":[{"product_id":"p\#(text(1000))"}]}"#
                let entries = (0..<60).map { RenewalInformation.Entry(productID: "p\(text(1000))\($0)") }
                return {
                    saved(json).map { RenewalInformation(entries: entries).concerns(.empty, $0) } == false
                }
            },
            // the order of purchases of one date
            { text in
                let purchases = (0..<30).map { Bought(product: "p\(text(2000))\($0)", id: "\($0)") }
                let history = history(purchases, created: "2026-06-05")
                let rules = OfferRules(catalog: .singleGroup)
                return {
                    rules.verdicts(for: ["p"], in: history, asOf: .date(at("2026-06-10")))[0]
                        .introductoryOffer.transactions.count == 1
                }
            },
            // snapshots, whose text has no limit
            { text in
                let type = "consumabl\(text(60_000))"
                var purchase = PurchaseSnapshot()
                purchase.ownershipType = "PURCHASE\(text(60_000))"
                purchase.subscriptionGroupIdentifier = "0\(text(60_000))"
                purchase.offerDiscountType = "FREE_TRIA\(text(60_000))"
                var evidence = EvidenceSnapshot(.signed, date: at("2026-05-01"))
                evidence.purchases = [purchase]
                let snapshots = [evidence]
                return {
                    InAppProductType(named: type) == .undocumented
                        && PurchaseHistory(
                            snapshots: snapshots, listings: [], bundleID: nil, environment: nil, realm: nil
                        ).count == 1
                }
            },
            // the environment of a customer
            { text in
                let (environment, realm) = ("Productio\(text(60_000))", "app_stor\(text(60_000))")
                return {
                    CustomerSnapshot().history(bundleID: nil, environment: environment, realm: realm).realm
                        == nil
                }
            },
        ] as [Work])
    func timeIsLinear(work: Work) {
        let (marks, letters) = (work(Cost.marks), work(Cost.letters))
        #expect(marks() && letters())
        let isLinear = (0..<5).contains { _ in
            Cost.time { _ = marks() } < 20 * max(Cost.time { _ = letters() }, 100_000)
        }
        #expect(isLinear)
    }

    /// Checks that texts are equal if and only if their bytes are.
    @Test func comparisonIsExact() {
        #expect("é".isExactly("\u{E9}"))
        #expect(!"\u{E9}".isExactly("e\u{301}"))
        #expect(!"a".isExactly("b"))
        #expect(!"a".isExactly("aa"))
        #expect(!"\u{212A}".isExactly("K"))
        let (absent, empty): (String?, String?) = (nil, "")
        #expect(absent.isExactly(absent))
        #expect(!absent.isExactly(empty))
        #expect(!empty.isExactly(absent))
    }
}
