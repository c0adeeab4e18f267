import AppReceipt
import OfferEligibility
import ReceiptForge
import StrictJSON
import Testing

@testable import ReceiptExamination
@testable import ReceiptJSON
@testable import ReceiptServices

/// The snapshots of records, and the answer about a customer that the library derives from them.
struct CustomerRequestTests {
    static let question: EligibilityQuestion? = {
        let text = Array(#"{"groups":{"G":["basic","premium"]}}"#.utf8)
        guard let catalog = try? SubscriptionCatalog(parsing: text) else { return nil }
        return EligibilityQuestion(
            rules: OfferRules(catalog: catalog),
            asOf: .date(Timestamp(millisecondsSince1970: 1_700_000_000_000)))
    }()

    private func answer(_ request: String) throws -> [Substring] {
        let question = try #require(Self.question)
        let lines = try CustomerRequest(Array(request.utf8)).answer(question)
        return String(decoding: lines, as: UTF8.self).split(separator: "\n")
    }

    private static let origin = #""environment":"Sandbox","bundle_id":"a","realm":"custom""#

    private static let linked = #""linked_by":["original_transaction_id"],"#

    /// Returns a request about a customer.
    ///
    /// - Parameters:
    ///   - pieces: The number and the stored members of each record.
    ///   - members: The customer's members, or nil for a customer without a subject.
    private static func request(_ pieces: [(Int, String)], _ members: String? = nil) -> String {
        let members = members ?? #""customer":3,\#(origin),\#(pieces.count > 1 ? linked : "")"#
        let evidence = pieces.map { "{\"number\":\($0.0),\"kept\":{\(origin),\($0.1)}}" }
        return "{\(members)\"evidence\":[\(evidence.joined(separator: ","))]}"
    }

    /// Returns evidence of an Apple Account of the subject `anna`.
    private static func account(_ number: Int) -> (Int, String) {
        let id = #""content_sha256":"\#(number)","app_transaction_id":"\#(number)""#
        return (number, #""kind":"transaction","subject":"anna",\#(id)"#)
    }

    /// Returns a request with a purchase and newer, refused renewal information of subscription 1.
    private static func unplaced(bought id: String, original: String) -> String {
        let renewal =
            #""kind":"renewal-info","created_at":1600000000000,"refused":"wrong_bundle_id","#
            + #""renewal":{"original_transaction_id":"1","product_id":"basic","grace_period_expires_date":1800000000000}"#
        let purchase =
            #""kind":"transaction","created_at":1500000000000,"purchases":[{"product_id":"basic","#
            + #""transaction_id":"\#(id)","original_transaction_id":"\#(original)","expires_date":1800000000000}]"#
        let kept = #""environment":"Sandbox","realm":"custom""#
        return #"{"customer":3,\#(origin),\#(linked)"evidence":[{"number":7,"kept":{\#(kept),\#(renewal)}},"#
            + #"{"number":8,"kept":{\#(origin),\#(purchase)}}]}"#
    }

    private static let grace = #""rule":"in-grace-period""#

    private static let empty = #""kind":"receipt","created_at":5,"purchases":[]"#

    /// Checks the answer's lines, one for each product.
    @Test(arguments: [
        // one receipt, on which the answers rest
        (
            request([(7, empty + #","record":"r""#)]),
            [
                #"{"customer":3,"subject":null,"environment":"Sandbox","bundle_id":"a","realm":"custom","receipts":1,"#
                    + #""linked_by":[],"rests_on":[{"number":7,"record":"r"}],"product_id":"basic","#,
                #""product_id":"premium","#,
            ]
        ),
        // the same content and date twice: counted, without other effect
        (
            request([(7, empty), (8, empty)]),
            [
                #""receipts":2,"linked_by":["original_transaction_id"],"rests_on":[{"number":7,"record":null}]"#,
                "",
            ]
        ),
        // the caller reports refused evidence
        (
            request([(7, empty)], #""customer":3,\#(origin),"evidence_refused":true,"#),
            [#""caveats":["evidence-refused"]"#, ""]
        ),
        (
            request([(7, empty)], #""customer":3,\#(origin),"evidence_refused":false,"#),
            [#""caveats":[]"#, ""]
        ),
        // renewal information that was refused because it names no app: it counts if its transaction is
        // known, otherwise as refused evidence
        (
            unplaced(bought: "2", original: "1"),
            [#""receipts":2,"linked_by":["original_transaction_id"],"#, grace]
        ),
        (unplaced(bought: "1", original: "3"), [#""receipts":2,"#, grace]),
        (
            unplaced(bought: "2", original: "3"),
            [
                #""receipts":1,"linked_by":[],"rests_on":[{"number":8,"record":null}],"#,
                #""findings":["subscribed"],"caveats":["evidence-refused"]"#,
            ]
        ),
        // the count includes records that the request omits
        (
            request(
                [(7, empty)],
                #""customer":1,"receipts":9,\#(origin),"linked_by":["original_transaction_id","app_account_token"],"#
            ),
            [
                #"{"customer":1,"#,
                #""receipts":9,"linked_by":["app_account_token","original_transaction_id"],"#,
            ]
        ),
        // a subject links records even if other identifiers differ
        (
            request(
                ["A", "B"].enumerated().map {
                    ($0 + 1, empty + #","subject":"s","app_transaction_id":"\#($1)","app_account_token":"x""#)
                }, #""customer":1,\#(origin),"subject":"s","linked_by":[],"#),
            [#""receipts":2,"linked_by":null,"#, ""]
        ),
        // renewal information with a subject but without an app
        (
            #"{"customer":1,"subject":"s","environment":"Sandbox","realm":"custom","evidence":["#
                + #"{"number":1,"kept":{"kind":"renewal-info","subject":"s","environment":"Sandbox","realm":"custom"}},"#
                + #"{"number":2,"kept":{"kind":"renewal-info","subject":"s","environment":"Sandbox","realm":"custom"}}]}"#,
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        // records without purchases
        (
            request([(7, #""kind":"notification","created_at":5"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        // the limits of dates and numbers
        (
            request([
                (
                    1,
                    #""kind":"transaction","created_at":253402300799999,"purchases":[{"product_id":"basic","#
                        + #""transaction_id":"1","purchase_date":-62167219200000,"expires_date":253402300799999,"#
                        + #""cancellation_date":-62167219200000,"offer_type":-9223372036854775808,"#
                        + #""revocation_percentage":9223372036854775807}]"#
                ),
                (
                    2,
                    #""kind":"renewal-info","created_at":-62167219200000,"renewal":{"product_id":"basic","#
                        + #""auto_renew_status":9223372036854775807,"grace_period_expires_date":-62167219200000,"#
                        + #""expiration_intent":1,"eligible_win_back_offer_ids":["a",""]}"#
                ),
            ]), [#""product_id":"basic","#, #""product_id":"premium","#]
        ),
        // records with members of another kind
        (
            request([(1, #""kind":"renewal-info","purchases":[{}]"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        (
            request([(1, #""kind":"app-transaction","purchases":[{}]"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        (request([(1, #""kind":"receipt","renewal":{}"#)]), ["", ""]),
        // a subject with two Apple Accounts
        (
            request([account(1), account(2)], #""customer":3,"subject":"anna",\#(origin),"#),
            [#""unjudged":"the evidence is of several Apple Accounts"#]
        ),
    ])
    func customerIsAnswered(request: String, parts: [String]) throws {
        let lines = try answer(request)
        #expect(lines.count == parts.count)
        for (line, part) in zip(lines, parts) {
            #expect(part.isEmpty || line.contains(part), "\(line.prefix(400))")
        }
    }

    /// Checks that a customer with more purchases than the limit gets no verdict based on a part of them.
    @Test(arguments: [
        // (purchases of each receipt, whether the answer has verdicts)
        ([100_000], true), ([100_001], false),
        // Each additional receipt counts, too.
        ([60_000, 39_999], true), ([60_000, 40_000], false), ([100_001, 0, 1], false),
    ])
    func purchasesOfACustomerAreLimited(counts: [Int], isEvaluated: Bool) throws {
        let pieces = counts.enumerated().map { index, count in
            let purchases = Array(repeating: "{}", count: count).joined(separator: ",")
            return (
                index + 1,
                "\"kind\":\"receipt\",\"created_at\":5,\"content_sha256\":\"\(index)\",\"purchases\":[\(purchases)]"
            )
        }
        let lines = try answer(Self.request(pieces))
        #expect(lines.count == (isEvaluated ? 2 : 1))
        let isUnevaluated = lines.first?.hasSuffix(#""unjudged":"more than 100000 purchases"}"#)
        #expect(isUnevaluated == !isEvaluated)
        #expect(lines.first?.contains("\"receipts\":\(counts.count),") == true)
    }

    /// Checks that an invalid request is refused with a one-line message.
    @Test(arguments: [
        // not an object, and missing or misspelled members
        ("", "JSON"), ("[]", "object"), ("{}", "customer"), (#"{"customer":1}"#, "evidence"),
        (request([(1, empty)], #""client":1,"#), "client"), (request([]), "evidence"),
        (#"{"customer":1,"evidence":[{"kept":{"kind":"receipt"}}]}"#, "evidence[0]"),
        (#"{"customer":1,"evidence":[{"number":1}]}"#, "evidence[0]"),
        (#"{"customer":1,"evidence":[{"number":1,"kept":null}]}"#, "evidence[0].kept"),
        (#"{"customer":1,"evidence":[{"number":1,"kept":{}}]}"#, "kind"),
        (request([(1, #""kind":"pass""#)]), "pass"), (request([(1, empty + #","size":1"#)]), "size"),
        (request([(1, #""kind":"receipt","purchases":[{"price":1}]"#)]), "purchases[0]"),
        (request([(1, #""kind":"renewal-info","renewal":{"price":1}"#)]), "renewal"),
        // invalid record numbers, and a number out of range
        (request([(0, empty)]), "number"), (request([(1, empty)], #""customer":0,"#), "customer"),
        (request([(1, empty)], #""customer":9223372036854775808,"#), "customer"),
        (request([(1, #""kind":"receipt","created_at":1.5"#)]), "created_at"),
        // dates outside the range of genuine records
        (request([(1, #""kind":"receipt","created_at":253402300800000"#)]), "created_at"),
        (request([(1, #""kind":"receipt","purchases":[{"expires_date":-62167219200001}]"#)]), "expires_date"),
        (
            request([(1, #""kind":"renewal-info","renewal":{"grace_period_expires_date":9e9}"#)]),
            "grace_period"
        ),
        // a count below the number of records
        (
            request([(1, empty), (2, empty)], #""customer":1,"receipts":1,\#(origin),"#),
            "receipts: fewer than the elements of evidence"
        ),
        // evidence of another customer
        (request([(1, empty)], #""customer":1,"#), "another customer"),
        (request([(1, empty)], #""customer":1,"realm":"apple","#), "another customer"),
        (request([(1, empty + #","subject":"s""#)]), "another customer"),
        (
            request(
                [(1, empty)], #""customer":1,"environment":"Production","bundle_id":"a","realm":"custom","#),
            "another customer"
        ),
        (
            request([(1, empty)], #""customer":1,"environment":"Sandbox","bundle_id":"b","realm":"custom","#),
            "another customer"
        ),
        // canonically equivalent texts with different bytes
        (
            request(
                [(1, empty + ",\"subject\":\"e\u{301}\"")],
                "\"customer\":1,\(origin),\"subject\":\"é\","),
            "another customer"
        ),
        // renewal information may omit its app, but may not name another
        (
            request(
                [(1, #""kind":"renewal-info""#)],
                #""customer":1,"environment":"Sandbox","realm":"custom","bundle_id":"b","#),
            "another customer"
        ),
        // the only refused records with snapshots are renewal information without an app, and they need other
        // evidence
        (request([(1, empty + #","refused":"wrong_bundle_id""#)]), "only renewal information"),
        (request([(1, #""kind":"renewal-info","refused":"wrong_bundle_id""#)]), "only renewal information"),
        (request([(1, empty + #","refused":"bad_signature""#)]), "bad_signature"),
        (
            #"{"customer":1,"bundle_id":"a","evidence":[{"number":1,"kept":{"kind":"renewal-info","refused":"wrong_bundle_id"}}]}"#,
            "without its transaction"
        ),
        (request([(1, empty)], #""customer":1,\#(origin),"evidence_refused":1,"#), "evidence_refused"),
        // unknown values are equal to no others
        (
            #"{"customer":1,"evidence":[{"number":1,"kept":{"kind":"receipt"}},{"number":2,"kept":{"kind":"receipt"}}]}"#,
            "cannot be combined"
        ),
        (
            #"{"customer":1,"subject":"s","environment":"Sandbox","realm":"custom","evidence":["#
                + #"{"number":1,"kept":{"kind":"renewal-info","subject":"s","environment":"Sandbox","realm":"custom"}},"#
                + #"{"number":2,"kept":{"kind":"receipt","subject":"s","environment":"Sandbox","realm":"custom"}}]}"#,
            "cannot be combined"
        ),
        // wrong order: newer after older, equal dates not sorted by number, and records without a date
        (request([(1, empty), (2, #""kind":"receipt","created_at":6"#)]), "newest first"),
        (request([(2, empty), (1, empty)]), "newest first"),
        (request([(1, empty), (1, empty)]), "newest first"),
        (request([(1, #""kind":"receipt""#), (2, empty)]), "newest first"),
        // evidence of two customers, and evidence that no identifier links, or another one
        (
            request(["A", "B"].enumerated().map { ($0 + 1, empty + #","app_transaction_id":"\#($1)""#) }),
            "app_transaction_id differs"
        ),
        (request([(1, empty), (2, empty)], #""customer":1,\#(origin),"#), "linked_by"),
        (request([(1, empty), (2, empty)], #""customer":1,\#(origin),"linked_by":[],"#), "linked_by"),
        (request([(1, empty), (2, empty)], #""customer":1,\#(origin),"linked_by":["name"],"#), "name"),
        (request([(1, empty)], #""customer":1,\#(origin),\#(linked)"#), "single receipt"),
        (
            request(
                [(1, empty + #","subject":"s""#), (2, empty + #","subject":"s""#)],
                #""customer":1,"subject":"s",\#(origin),\#(linked)"#),
            "linked_by: not allowed with a subject"
        ),
        // the customer's members after the evidence
        (
            #"{"customer":1,"evidence":[{"number":1,"kept":{"kind":"receipt"}}],"realm":"custom"}"#,
            "must follow the customer's other members"
        ),
    ])
    func invalidRequestIsRefused(request: String, message: String) {
        do {
            _ = try answer(request)
            Issue.record("\(request.prefix(200)) is answered")
        } catch let error as EligibilityFailure {
            #expect(error.code == .badRequest)
            #expect(error.message.contains(message), "\(error.message)")
            #expect(!error.message.contains("\n"))
        } catch {
            Issue.record(error)
        }
    }

    // With a subject, an answer's listing counts, even if another record with the same object has none.
    @Test(arguments: [
        (#""subject":"s","#, #","listing":"statuses""#, ""),
        (#""subject":"s","#, "", #","caveats":["partial-evidence"]"#),
        (#""subject":"s","#, #","listing":"history-page""#, #""partial-evidence""#),
        ("", #","listing":"statuses""#, #""partial-evidence""#),
    ])
    func listings(subject: String, listing: String, caveat: String) throws {
        let transaction =
            #""kind":"transaction","created_at":5,"sha256":"aa","purchases":[{"product_id":"gone","product_type":"consumable"}]"#
        let lines = try answer(
            Self.request(
                [(1, subject + transaction), (2, subject + transaction + listing)],
                #""customer":3,\#(subject)\#(Self.origin),\#(subject.isEmpty ? Self.linked : "")"#))
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""partial-evidence""#) == !caveat.isEmpty })
    }

    @Test func anUnknownListingIsRefused() {
        #expect(throws: EligibilityFailure.self) {
            try CustomerRequest(Array(Self.request([(1, Self.empty + #","listing":"all""#)]).utf8))
        }
    }

    /// Checks that snapshots yield the same answer as the record itself, and that storing does not
    /// change the answer's lines.
    @Test func snapshotGivesTheSameAnswer() throws {
        var content = ReceiptContent()
        content.receiptType = "Production"
        var purchase = PurchaseContent.subscription(
            productID: "basic", transactionID: "7", originalTransactionID: "7",
            purchaseDate: "2023-05-01T09:00:00Z", expiresDate: "2023-06-01T09:00:00Z")
        (purchase.cancellationDate, purchase.cancellationReason) = ("2023-05-02T09:00:00Z", 2)
        content.purchases = [purchase]
        let receipt = try ReceiptRecipe(content, authority: .test()).forge().bytes
        let verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
        let examiner = Examiner(verifier, policy: .any)
        let text = receipt.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        func lines(_ line: String, writesSnapshots: Bool) -> [Substring] {
            var json = JSONWriter()
            RecordExaminer(examiner, question: Self.question, writesSnapshots: writesSnapshots)
                .answer(line: Array(line.utf8), number: 4, to: &json)
            return String(decoding: json.bytes, as: UTF8.self).split(separator: "\n")
        }
        for (line, isGenuine) in [
            (#"{"id":7,"subject":"a\u0000␀","receipt":"\#(text)"}"#, true), (#"{"receipt":null}"#, false),
            (#"{"receipt":"MAA="}"#, false), ("x", false),
        ] {
            let found = lines(line, writesSnapshots: true)
            #expect(found.count == 2)
            #expect(found.first == lines(line, writesSnapshots: false).first)
            #expect((found.last == "null") == !isGenuine)
        }
        let kept = try #require(lines(#"{"id":7,"receipt":"\#(text)"}"#, writesSnapshots: true).last)
        let answered = try answer(
            #"{"customer":1,"environment":"Production","bundle_id":"\#(content.bundleID ?? "")","realm":"custom","#
                + #""evidence":[{"number":4,"kept":\#(kept)}]}"#)
        #expect(answered.count == 2)
        #expect(answered.allSatisfy { $0.contains(#""rests_on":[{"number":4,"record":"7"}]"#) })
        // Every fact that decides is kept.
        #expect(answered.first?.contains(#""rule":"uncatalogued-history""#) == true)
    }
}
