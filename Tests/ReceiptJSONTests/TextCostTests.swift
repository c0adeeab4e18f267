import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import StrictJSON
import TestSupport
import Testing

@testable import ReceiptExamination
@testable import ReceiptJSON
@testable import ReceiptServices

/// The time to read and compare untrusted text is proportional to its size, whatever its characters are.
struct TextCostTests {
    private let authority: Authority
    private let examiner: Examiner

    init() throws {
        authority = try .appStoreJWS()
        examiner = Examiner(
            try ReceiptVerifier(anchors: .custom(authority.root.certificate.der)), policy: .any)
    }

    private static func members(_ first: String, _ text: (Int) -> String, value: String) -> String {
        (0..<60).map { "\"\(first)\(text(900))\($0)\":\(value)," }.joined()
    }

    /// The work on a text from a function that makes text of a number of bytes, and the work's result.
    struct Row: Sendable {
        let result: Int
        let work: @Sendable (_ text: (Int) -> String, _ transaction: String, Examiner) -> () -> Int

        init(
            _ result: Int,
            _ work:
                @escaping @Sendable (_ text: (Int) -> String, _ transaction: String, Examiner) -> () -> Int
        ) { (self.result, self.work) = (result, work) }
    }

    private static func count(_ json: String, _ examiner: Examiner) -> Int {
        var evidence = CustomerEvidence()
        _ = evidence.take(Array(json.utf8), of: "answer", examiner)
        _ = try? evidence.history()
        return evidence.examined
    }

    private static func customer(_ members: String, _ kept: String) -> () -> Int {
        let kept = #"{"number":1,"kept":{"kind":"transaction",\#(kept)}}"#
        let request = Array(#"{"customer":3,\#(members)"evidence":[\#(kept)]}"#.utf8)
        return {
            guard let question = CustomerRequestTests.question, let customer = try? CustomerRequest(request)
            else { return 0 }
            return customer.answer(question).isEmpty ? 0 : 1
        }
    }

    /// Checks that marks take less than 20 times as long as letters of the same size. Quadratic work takes
    /// hundreds of times as long. Measures again if another process slowed the marks.
    @Test(
        arguments: [
            // two responses of the App Store Server API
            Row(
                2,
                { text, _, examiner in
                    let lists = ["x", "y"].map {
                        #""\#($0)":{"signedTransactions":["e"],"hasMore":false,"environment":"S","bundleId":"a\#(text(60_000))\#($0)"}"#
                    }
                    let json = "{\(lists.joined(separator: ","))}"
                    return { count(json, examiner) }
                }
            ),
            // the environment of a response with a genuine object
            Row(
                1,
                { text, transaction, examiner in
                    let json =
                        #"{"signedTransactions":["\#(transaction)"],"hasMore":false,"bundleId":"a","environment":"Sandbo\#(text(60_000))"}"#
                    return { count(json, examiner) }
                }
            ),
            // a response without objects next to a genuine object
            Row(
                2,
                { text, transaction, examiner in
                    let list = #"{"data":[],"bundleId":"a","environment":"Sandbo\#(text(60_000))"}"#
                    return { count(#"{"a":\#(list),"signedTransactionInfo":"\#(transaction)"}"#, examiner) }
                }
            ),
            // a customer's request
            Row(
                1,
                { text, _, _ in
                    customer(
                        "",
                        #""purchases":[{"ownership_type":"PURCHASE\#(text(60_000))","offer_discount_type":"FREE_TRIA\#(text(60_000))"}]"#
                    )
                }
            ),
            Row(
                1,
                { text, _, _ in
                    let same = #""subject":"s\#(text(60_000))","bundle_id":"b\#(text(60_000))","#
                    return customer(same, String(same.dropLast()))
                }
            ),
            // a purchase of another store, and a response around a receipt
            Row(
                1,
                { text, _, _ in
                    let json =
                        "{\(members("packageName", text, value: "\"x\""))\"packageName\":\"a\",\"purchaseToken\":\"b\"}"
                    let bytes = Array(json.utf8)
                    return { ForeignKind(bytes.span) == nil ? 0 : 1 }
                }
            ),
            Row(
                1,
                { text, _, _ in
                    let bytes = Array(
                        "{\(members("latest_receipt", text, value: "0"))\"latest_receipt\":\"x\"}".utf8)
                    return {
                        if case .none = Unwrapper.read(bytes.span, limits: ReceiptLimits()) { 1 } else { 0 }
                    }
                }
            ),
            // names of kept fields
            Row(
                1,
                { text, _, _ in
                    var fields = KeptFields()
                    fields.isAll = true
                    let values = [(name: Array("n\(text(60_000))".utf8), value: Array("v".utf8))]
                    return { [fields] in fields.kept(values) == nil ? 0 : 1 }
                }
            ),
            // the place of a refused object
            Row(
                0,
                { text, _, _ in
                    let source = "evidence[0]#\(text(60_000))"
                    let refusal = ReceiptError(.malformed, message: "")
                    return { EligibilityFailure.RefusedMember(source, refusal).index }
                }
            ),
        ])
    func timeIsLinear(row: Row) throws {
        let transaction = try JWSRecipe(.transaction, authority: authority).forge()
        let (marks, letters) = (
            row.work(Cost.marks, transaction, examiner), row.work(Cost.letters, transaction, examiner)
        )
        #expect(marks() == row.result)
        #expect(letters() == row.result)
        let isLinear = (0..<5).contains { _ in
            Cost.time { _ = marks() } < 20 * max(Cost.time { _ = letters() }, 100_000)
        }
        #expect(isLinear)
    }

    /// Checks that the objects of a response do not cost more if the response has a long text of its own.
    @Test(arguments: ["bundleId", "environment"])
    func timeOfObjectsDoesNotDependOnTheirResponse(member: String) {
        func json(_ name: String) -> String {
            let others = ["bundleId", "environment"].filter { $0 != name }.map { #""\#($0)":"b","# }.joined()
            let objects = Array(repeating: #""a""#, count: 2000).joined(separator: ",")
            let text = String(repeating: "a", count: 2_000_000)
            return #"{"\#(name)":"\#(text)",\#(others)"hasMore":false,"signedTransactions":[\#(objects)]}"#
        }
        let (long, skipped) = (json(member), json("unknown"))
        let isLinear = (0..<5).contains { _ in
            Cost.time { _ = Self.count(long, examiner) } < 5 * Cost.time { _ = Self.count(skipped, examiner) }
        }
        #expect(isLinear)
    }

    /// Checks that the path of an object keeps a combining mark at its start.
    @Test func pathBeginsWithAMark() throws {
        let line = Array("{\"id\":\"1\",\"\u{301}\":{\"signedPayload\":\"e\"}}".utf8)
        var json = JSONWriter()
        RecordExaminer(examiner, question: nil).answer(line: line, number: 1, to: &json)
        #expect(json.bytes.contains(Array("\"path\":\"\u{301}.signedPayload\"".utf8)))
    }
}
