import AppReceipt
import StrictJSON
import Testing

@testable import OfferEligibility

struct RenewalInformationTests {
    // strings, numbers and Booleans; milliseconds or text; in a response or alone
    @Test(arguments: [
        #"{"product_id": "basic", "auto_renew_status": "1", "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": "1781686800000"}"#,
        #"{"product_id": "basic", "auto_renew_status": 1, "is_in_billing_retry_period": 1, "grace_period_expires_date_ms": 1781686800000}"#,
        #"{"product_id": "basic", "auto_renew_status": true, "is_in_billing_retry_period": true, "grace_period_expires_date": "2026-06-17 09:00:00 Etc/GMT"}"#,
        #"{"product_id": "basic", "auto_renew_status": "true", "is_in_billing_retry_period": "true", "grace_period_expires_date": "1781686800000", "expiration_intent": "2"}"#,
    ])
    func everyForm(entry: String) throws {
        let expected = RenewalInformation.Entry(
            productID: "basic", willRenew: true, isInBillingRetry: true, gracePeriodEnd: at("2026-06-17"))
        for text in [
            "[\(entry)]", #"{"status": 0, "receipt": {"in_app": []}, "pending_renewal_info": [\#(entry)]}"#,
        ] {
            #expect(try RenewalInformation(parsing: text.utf8).entries == [expected])
        }
    }

    // A subscription that expired for an unknown reason may continue.
    @Test(arguments: [
        (#""0""#, #""1""#, false), (#""0""#, "5", false), (#""0""#, #""""#, false), (#""0""#, "null", false),
        (#""0""#, #""6""#, nil), (#""0""#, #""0""#, nil), (#""0""#, #""other""#, nil),
        (#""1""#, #""6""#, true),
    ])
    func expirationIntent(status: String, intent: String, willRenew: Bool?) throws {
        let entry =
            #"[{"product_id": "a", "auto_renew_status": \#(status), "expiration_intent": \#(intent)}]"#
        #expect(try RenewalInformation(parsing: entry.utf8).entries.map(\.willRenew) == [willRenew])
    }

    @Test(arguments: [
        ("", "", JSONFault.truncated),
        ("{}", "", .missing("pending_renewal_info")),
        (#"{"groups": {"a": ["b"]}}"#, "", .missing("pending_renewal_info")),
        (#"{"status": 21010}"#, "status", .unexpectedValue("21010")),
        (
            #"{"pending_renewal_info": {}}"#, "pending_renewal_info",
            .unexpectedKind(expected: .array, found: .object)
        ),
        ("[1]", "[0]", .unexpectedKind(expected: .object, found: .number)),
        ("[{}]", "[0].product_id", .missing("product_id")),
        (
            #"[{"product_id": "a"}, {"product_id": "a", "auto_renew_status": "2"}]"#, "[1].auto_renew_status",
            .unexpectedValue("2")
        ),
        (
            #"[{"product_id": "a", "grace_period_expires_date": "tomorrow"}]"#,
            "[0].grace_period_expires_date", .invalidDate
        ),
    ])
    func badInput(text: String, path: String, fault: JSONFault) {
        do {
            _ = try RenewalInformation(parsing: text.utf8)
            Issue.record("accepted")
        } catch {
            #expect(error.path == path)
            #expect(error.fault == fault)
        }
    }

    @Test(arguments: [("basic", true), ("legacy", true), ("unheard", false)])
    func concerns(product: String, expected: Bool) {
        let history = history([Bought(product: "legacy")])
        let information = RenewalInformation(entries: [.init(productID: product)])
        #expect(information.concerns(catalog, history) == expected)
        #expect(information.concerns(.singleGroup, history))
    }

    @Test func entryOfNoGroupHasNoEffect() {
        let purchases = [Bought()]
        let entry = RenewalInformation.Entry(
            productID: "unheard", willRenew: true, isInBillingRetry: true, gracePeriodEnd: at("2030-01-01"))
        #expect(VerdictSummary(verdict(purchases, renewals: [entry])) == VerdictSummary(verdict(purchases)))
    }
}
