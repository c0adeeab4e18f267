import AppReceipt
import OfferEligibility
import ReceiptForge
import Testing

@testable import ReceiptJSON

/// What is kept of records, and the answer on a customer that is made of it.
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

    /// - Parameters:
    ///   - pieces: each a number and the members of what is kept.
    ///   - members: those of a customer without a subject where there are none.
    private static func request(_ pieces: [(Int, String)], _ members: String? = nil) -> String {
        let members = members ?? #""customer":3,\#(origin),\#(pieces.count > 1 ? linked : "")"#
        let evidence = pieces.map { "{\"number\":\($0.0),\"kept\":{\(origin),\($0.1)}}" }
        return "{\(members)\"evidence\":[\(evidence.joined(separator: ","))]}"
    }

    /// A purchase, and newer renewal information of the subscription 1 that was refused.
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

    /// One line each, or what says why there is none.
    @Test(arguments: [
        // a line for each product; the one receipt is what the answers rest on
        (
            request([(7, empty + #","record":"r""#)]),
            [
                #"{"customer":3,"subject":null,"environment":"Sandbox","bundle_id":"a","realm":"custom","receipts":1,"#
                    + #""linked_by":[],"rests_on":[{"number":7,"record":"r"}],"product_id":"basic","#,
                #""product_id":"premium","#,
            ]
        ),
        // of one content and date, presented again: counted, and nothing more
        (
            request([(7, empty), (8, empty)]),
            [
                #""receipts":2,"linked_by":["original_transaction_id"],"rests_on":[{"number":7,"record":null}]"#,
                "",
            ]
        ),
        // the caller says that something was refused
        (
            request([(7, empty)], #""customer":3,\#(origin),"evidence_refused":true,"#),
            [#""caveats":["evidence-refused"]"#, ""]
        ),
        (
            request([(7, empty)], #""customer":3,\#(origin),"evidence_refused":false,"#),
            [#""caveats":[]"#, ""]
        ),
        // what was refused for want of an app counts by its transaction, and else is refused evidence
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
        // the count says what was left out
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
        // a subject links by itself, whatever the names
        (
            request(
                ["A", "B"].enumerated().map {
                    ($0 + 1, empty + #","subject":"s","app_transaction_id":"\#($1)","app_account_token":"x""#)
                }, #""customer":1,\#(origin),"subject":"s","linked_by":[],"#),
            [#""receipts":2,"linked_by":null,"#, ""]
        ),
        // renewal information of one subject alone, whose app nothing names
        (
            #"{"customer":1,"subject":"s","environment":"Sandbox","realm":"custom","evidence":["#
                + #"{"number":1,"kept":{"kind":"renewal-info","subject":"s","environment":"Sandbox","realm":"custom"}},"#
                + #"{"number":2,"kept":{"kind":"renewal-info","subject":"s","environment":"Sandbox","realm":"custom"}}]}"#,
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        // what tells of no purchase
        (
            request([(7, #""kind":"notification","created_at":5"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        // dates and numbers at their ends
        (
            request([
                (
                    1,
                    #""kind":"transaction","created_at":253402300799999,"purchases":[{"product_id":"basic","#
                        + #""transaction_id":"1","purchase_date":-62167219200000,"expires_date":253402300799999,"#
                        + #""cancellation_date":-62167219200000,"offer_type":-9223372036854775808}]"#
                ),
                (
                    2,
                    #""kind":"renewal-info","created_at":-62167219200000,"renewal":{"product_id":"basic","#
                        + #""auto_renew_status":9223372036854775807,"grace_period_expires_date":-62167219200000,"#
                        + #""expiration_intent":1,"eligible_win_back_offer_ids":["a",""]}"#
                ),
            ]), [#""product_id":"basic","#, #""product_id":"premium","#]
        ),
        // kinds that tell another thing than they should
        (
            request([(1, #""kind":"renewal-info","purchases":[{}]"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        (
            request([(1, #""kind":"app-transaction","purchases":[{}]"#)]),
            [#""rule":"no-purchase-evidence""#, #""rule":"no-purchase-evidence""#]
        ),
        (request([(1, #""kind":"receipt","renewal":{}"#)]), ["", ""]),
    ])
    func aCustomerIsAnswered(request: String, parts: [String]) throws {
        let lines = try answer(request)
        #expect(lines.count == parts.count)
        for (line, part) in zip(lines, parts) {
            #expect(part.isEmpty || line.contains(part), "\(line.prefix(400))")
        }
    }

    /// Nobody who has more purchases than are judged is judged by some of them.
    @Test(arguments: [
        // (purchases of each receipt, whether there are verdicts)
        ([100_000], true), ([100_001], false),
        // A receipt beside others takes room too.
        ([60_000, 39_999], true), ([60_000, 40_000], false), ([100_001, 0, 1], false),
    ])
    func aCustomerHasABound(counts: [Int], isJudged: Bool) throws {
        let pieces = counts.enumerated().map { index, count in
            let purchases = Array(repeating: "{}", count: count).joined(separator: ",")
            return (
                index + 1,
                "\"kind\":\"receipt\",\"created_at\":5,\"content_sha256\":\"\(index)\",\"purchases\":[\(purchases)]"
            )
        }
        let lines = try answer(Self.request(pieces))
        #expect(lines.count == (isJudged ? 2 : 1))
        let isUnjudged = lines.first?.hasSuffix(#""unjudged":"more than 100000 purchases"}"#)
        #expect(isUnjudged == !isJudged)
        #expect(lines.first?.contains("\"receipts\":\(counts.count),") == true)
    }

    /// Whatever is not understood is said in a line.
    @Test(arguments: [
        // no object, and members that are missing or misspelt
        ("", "JSON"), ("[]", "object"), ("{}", "customer"), (#"{"customer":1}"#, "evidence"),
        (request([(1, empty)], #""client":1,"#), "client"), (request([]), "evidence"),
        (#"{"customer":1,"evidence":[{"kept":{"kind":"receipt"}}]}"#, "evidence[0]"),
        (#"{"customer":1,"evidence":[{"number":1}]}"#, "evidence[0]"),
        (#"{"customer":1,"evidence":[{"number":1,"kept":null}]}"#, "evidence[0].kept"),
        (#"{"customer":1,"evidence":[{"number":1,"kept":{}}]}"#, "kind"),
        (request([(1, #""kind":"pass""#)]), "pass"), (request([(1, empty + #","size":1"#)]), "size"),
        (request([(1, #""kind":"receipt","purchases":[{"price":1}]"#)]), "purchases[0]"),
        (request([(1, #""kind":"renewal-info","renewal":{"price":1}"#)]), "renewal"),
        // numbers that no record has, and more digits than there are
        (request([(0, empty)]), "number"), (request([(1, empty)], #""customer":0,"#), "customer"),
        (request([(1, empty)], #""customer":9223372036854775808,"#), "customer"),
        (request([(1, #""kind":"receipt","created_at":1.5"#)]), "created_at"),
        // dates that nothing genuine has
        (request([(1, #""kind":"receipt","created_at":253402300800000"#)]), "created_at"),
        (request([(1, #""kind":"receipt","purchases":[{"expires_date":-62167219200001}]"#)]), "expires_date"),
        (
            request([(1, #""kind":"renewal-info","renewal":{"grace_period_expires_date":9e9}"#)]),
            "grace_period"
        ),
        // fewer receipts than are given
        (
            request([(1, empty), (2, empty)], #""customer":1,"receipts":1,\#(origin),"#),
            "receipts: fewer than the elements of evidence"
        ),
        // another's evidence
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
        // one text by its meaning, two by their bytes
        (
            request(
                [(1, empty + ",\"subject\":\"e\u{301}\"")],
                "\"customer\":1,\(origin),\"subject\":\"é\","),
            "another customer"
        ),
        // renewal information may leave out its app, but name no other
        (
            request(
                [(1, #""kind":"renewal-info""#)],
                #""customer":1,"environment":"Sandbox","realm":"custom","bundle_id":"b","#),
            "another customer"
        ),
        // only renewal information that names no app is kept of what was refused, and not by itself
        (request([(1, empty + #","refused":"wrong_bundle_id""#)]), "only renewal information"),
        (request([(1, #""kind":"renewal-info","refused":"wrong_bundle_id""#)]), "only renewal information"),
        (request([(1, empty + #","refused":"bad_signature""#)]), "bad_signature"),
        (
            #"{"customer":1,"bundle_id":"a","evidence":[{"number":1,"kept":{"kind":"renewal-info","refused":"wrong_bundle_id"}}]}"#,
            "without its transaction"
        ),
        (request([(1, empty)], #""customer":1,\#(origin),"evidence_refused":1,"#), "evidence_refused"),
        // what is unknown is like no other
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
        // another order: newer behind older, of one date by number, and what has no date
        (request([(1, empty), (2, #""kind":"receipt","created_at":6"#)]), "newest first"),
        (request([(2, empty), (1, empty)]), "newest first"),
        (request([(1, empty), (1, empty)]), "newest first"),
        (request([(1, #""kind":"receipt""#), (2, empty)]), "newest first"),
        // evidence of two, and of one by no name, by another name, or beside what links it
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
        // the customer's members behind the evidence
        (
            #"{"customer":1,"evidence":[{"number":1,"kept":{"kind":"receipt"}}],"realm":"custom"}"#,
            "must follow the customer's other members"
        ),
    ])
    func whatIsNotUnderstoodIsRefused(request: String, message: String) {
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

    // What an answer lists counts where there is a subject, whatever was taken of the same object before.
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

    /// What is kept of a record answers as the record itself does; the lines of answers stay as they are.
    @Test func whatIsKeptIsEnough() throws {
        var content = ReceiptContent()
        content.receiptType = "Production"
        let receipt = try ReceiptRecipe(content, authority: .test()).forge().bytes
        let verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
        let examiner = Examiner(verifier, demands: Demands(.anyApp))
        let text = receipt.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        func lines(_ line: String, isKeeping: Bool) -> [Substring] {
            var json = JSONWriter()
            RecordExaminer(examiner, question: Self.question, isKeeping: isKeeping)
                .answer(line: Array(line.utf8), number: 4, to: &json)
            return String(decoding: json.bytes, as: UTF8.self).split(separator: "\n")
        }
        for (line, isGenuine) in [
            (#"{"id":7,"subject":"a\u0000␀","receipt":"\#(text)"}"#, true), (#"{"receipt":null}"#, false),
            (#"{"receipt":"MAA="}"#, false), ("x", false),
        ] {
            let found = lines(line, isKeeping: true)
            #expect(found.count == 2)
            #expect(found.first == lines(line, isKeeping: false).first)
            #expect((found.last == "null") == !isGenuine)
        }
        let kept = try #require(lines(#"{"id":7,"receipt":"\#(text)"}"#, isKeeping: true).last)
        let answered = try answer(
            #"{"customer":1,"environment":"Production","bundle_id":"\#(content.bundleID ?? "")","realm":"custom","#
                + #""evidence":[{"number":4,"kept":\#(kept)}]}"#)
        #expect(
            answered.count == 2
                && answered.allSatisfy { $0.contains(#""rests_on":[{"number":4,"record":"7"}]"#) })
    }
}
