import AppReceipt
import Foundation
import OfferEligibility
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// The eligibility endpoint of the server and the C library, for one customer.
struct EligibilityEndpointTests {
    private static let now = Timestamp(millisecondsSince1970: 1_772_409_600_000)  // 2026-03-02T00:00:00Z
    private static let basic = #""catalog":{"groups":{"G":["P"]}}"#

    private func endpoint(_ policy: VerificationPolicy = .any, catalog: Bool = true) throws
        -> EligibilityEndpoint
    {
        let root = try AnswerFixtures.bytes("roots/root.cer")
        var endpoint = EligibilityEndpoint(
            try ReceiptVerifier(anchors: .custom(root)), policy: policy)
        if catalog {
            endpoint.catalog = try SubscriptionCatalog(
                storeKitConfiguration: try AnswerFixtures.bytes("eligibility/Store.storekit"))
        }
        return endpoint
    }

    private static func evidence(_ names: String...) throws -> String {
        let texts = try names.map { name in
            let bytes = try AnswerFixtures.bytes(name)
            let text =
                name.hasSuffix(".der")
                ? Data(bytes).base64EncodedString() : String(decoding: bytes, as: UTF8.self)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    private func failure(_ endpoint: EligibilityEndpoint, _ body: String) -> EligibilityFailure? {
        do throws(EligibilityFailure) {
            _ = try endpoint.answer(to: Array(body.utf8), at: Self.now)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Answers

    /// Checks the questions of Fixtures/eligibility without options, unsigned renewal information or other
    /// evidence.
    @Test func questionsOfTheFixtures() throws {
        let endpoint = try endpoint()
        let rows =
            try JSONSerialization.jsonObject(
                with: Data(try AnswerFixtures.bytes("eligibility/questions.json"))) as? [[String: Any]]
        var evaluated = 0
        for row in try #require(rows)
        where row["renewal_info"] == nil && row["flags"] == nil && row["evidence"] == nil {
            let receipt = try #require(row["receipt"] as? String)
            let evidence = try Self.evidence("eligibility/\(receipt)")
            var body: [String: Any] = [
                "evidence": try JSONSerialization.jsonObject(with: Data(evidence.utf8))
            ]
            body["products"] = row["products"]
            body["as_of"] = row["as_of"]
            let request = [UInt8](try JSONSerialization.data(withJSONObject: body))
            let answer = try AnswerFixtures.object(endpoint.answer(to: request, at: Self.now))
            let wanted = (row["answers"] as? [[String: Any]])?.map { answer in
                var answer = answer
                answer["source"] = nil
                answer["sources"] = ["evidence[0]"]
                // The answer contains the date of the clock.
                answer["as_of"] = answer["as_of"] ?? Self.now.rfc3339
                return answer
            }
            #expect(
                answer as NSDictionary == ["verdicts": try #require(wanted)] as NSDictionary,
                "\(row["name"] ?? "")")
            evaluated += 1
        }
        #expect(evaluated >= 10)
    }

    /// Checks that sources name the positions of evidence in the request.
    @Test func evidenceIsNamedByItsIndex() throws {
        let evidence = try Self.evidence(
            "eligibility/receipts/trial-then-left.der", "eligibility/receipts/half-a-year-then-left.der")
        let body = #"{"evidence":\#(evidence),"products":["com.example.tides.monthly"]}"#
        let answer = String(
            decoding: try endpoint().answer(to: Array(body.utf8), at: Self.now), as: UTF8.self)
        #expect(answer.hasPrefix(#"{"verdicts":[{"sources":["evidence[0]","evidence[1]"],"product_id":"#))
        #expect(answer.contains(#""as_of":"2026-03-02T00:00:00Z""#))
    }

    /// Checks that a request is parsed completely before verification.
    @Test func requestIsParsedBeforeVerification() throws {
        let body =
            #"{"evidence":["x"],"renewal_info":["y","z"],"as_of":"2026-01-01T00:00:00Z",\#(Self.basic)}"#
        let request = try endpoint(catalog: false).request(Array(body.utf8))
        #expect(request.evidence == [Array("x".utf8)])
        #expect(request.renewalInfo.count == 2)
        #expect(request.products == ["P"])
        #expect(request.asOf?.rfc3339 == "2026-01-01T00:00:00Z")
    }

    // MARK: - Failures

    @Test(arguments: [
        // no JSON, trailing bytes, or not an object
        ("", "at byte 0"),
        ("{}", "evidence"),
        ("[]", "object"),
        ("{\"evidence\":[\"x\"]} x", "at byte 19"),
        // empty lists and values that are not strings
        (#"{"evidence":[]}"#, "evidence: must not be empty"),
        (#"{"evidence":"x"}"#, "evidence"),
        (#"{"evidence":[5]}"#, "evidence[0]"),
        (#"{"evidence":["x"],"evidence":["y"]}"#, "evidence"),
        // misspelled members and invalid values
        (#"{"evidence":["x"],"asof":"2026-01-01T00:00:00Z"}"#, "asof"),
        (#"{"evidence":["x"],"as_of":"2026-02-30T00:00:00Z"}"#, "as_of"),
        (#"{"evidence":["x"],"catalog":[]}"#, "catalog"),
        (#"{"evidence":["x"],"catalog":{}}"#, "catalog (byte 28): must have exactly one of"),
        (#"{"evidence":["x"],"catalog":{"groups":{"G":[5]}}}"#, "catalog.groups.G[0] (byte 44): expected"),
        // catalogs and products
        (#"{"evidence":["x"]}"#, "catalog: required"),
        (#"{"evidence":["x"],"products":[],\#(basic)}"#, "products: required"),
        (#"{"evidence":["x"],"products":["P","P"],\#(basic)}"#, "products: a product is listed twice"),
        (
            #"{"evidence":["x"],"products":["\#(String(repeating: "P", count: 1025))"],\#(basic)}"#,
            "products[0]"
        ),
        // a single group instead of a catalog
        (#"{"evidence":["x"],"single_group":true}"#, "products: required"),
        (
            #"{"evidence":["x"],"single_group":true,\#(basic)}"#,
            "single_group: cannot be combined with catalog"
        ),
        (#"{"evidence":["x"],"single_group":"true","products":["P"]}"#, "single_group"),
        // unsigned renewal information in no known format
        (#"{"evidence":["x"],"products":["P"],"unsigned_renewal_info":{}}"#, "unsigned_renewal_info"),
        (#"{"evidence":["x"],"products":["P"],"unsigned_renewal_info":[[],5]}"#, "unsigned_renewal_info[1]"),
        (#"{"evidence":["x"],"products":["P"],"unsigned_renewal_info":["{}"]}"#, "pending_renewal_info"),
        // an unknown choice
        (#"{"evidence":["x"],"products":["P"],"refused_evidence":"ignore"}"#, "refused_evidence"),
        (#"{"evidence":["x"],"products":["P"],"refused_evidence":null}"#, "refused_evidence"),
        // too many elements
        (#"{"evidence":[\#(Array(repeating: "\"\"", count: 1001).joined(separator: ","))]}"#, "1000"),
        (
            #"{"evidence":["x"],"catalog":{"groups":{"G":[\#((0...1000).map { "\"\($0)\"" }.joined(separator: ","))]}}}"#,
            "products: required"
        ),
    ])
    func badRequests(body: String, message: String) throws {
        let failure = try #require(failure(try endpoint(catalog: false), body))
        #expect(failure.code == .badRequest)
        #expect(failure.refused.isEmpty)
        #expect(failure.message.contains(message), "\(failure.message)")
        let error = try AnswerFixtures.object(failure.json)["error"] as? [String: String]
        #expect(error == ["code": "bad_request", "message": failure.message])
    }

    /// Checks that signed objects are counted over all evidence of a request, so that splitting does not
    /// raise the limit.
    @Test(arguments: [
        // (member, evidence in the request, elements of each, refusals or nil if the limit is exceeded)
        ("evidence", 64, 1, 64), ("evidence", 70, 1, nil), ("evidence", 1_000, 1, nil),
        ("evidence", 1, 64, 64), ("evidence", 2, 64, nil), ("evidence", 20, 100_000, 20),
        ("evidence\":[\"x\"],\"renewal_info", 20, 2, 41), ("evidence\":[\"x\"],\"renewal_info", 2, 64, nil),
    ])
    func objectsAreCountedByRequest(member: String, pieces: Int, elements: Int, refusals: Int?) throws {
        let list = Array(repeating: "1", count: elements).joined(separator: ",")
        let piece = #""{\"signedTransactions\":[\#(list)]}""#
        let evidence = Array(repeating: piece, count: pieces).joined(separator: ",")
        let body = "{\"\(member)\":[\(evidence)],\(Self.basic)}"
        let failure = try #require(failure(try endpoint(), body))
        #expect(failure.code == (refusals == nil ? .badRequest : .refused), "\(failure.message)")
        #expect(failure.refused.count == refusals ?? 0)
        #expect(failure.json.count < 3 * body.utf8.count + (32 << 10))
    }

    /// Checks the limits on the catalog and on unsigned renewal information.
    @Test(arguments: [
        (#""catalog":{"groups":{"G":[ITEMS]}}"#, "\"P%\"", 20_001),
        (#""catalog":{"groups":{ITEMS}}"#, "\"G%\":[]", 20_001),
        (#""catalog":{"apps":{ITEMS}}"#, #""A%":{"groups":{"G":["P"]}}"#, 7_000),
        (
            #""catalog":{"subscriptionGroups":[{"id":"G","subscriptions":[{"productID":"P","winbackOffers":[ITEMS]}]}]}"#,
            "{}", 20_001
        ),
        (#""unsigned_renewal_info":[[ITEMS]]"#, #"{"product_id":"P"}"#, 1_001),
        (#""unsigned_renewal_info":[[{"product_id":"P"}],[ITEMS]]"#, #"{"product_id":"P"}"#, 1_000),
    ])
    func catalogAndRenewalInformationAreLimited(member: String, item: String, count: Int) throws {
        let items = (0..<count).map { item.replacing("%", with: "\($0)") }.joined(separator: ",")
        let body = "{\"evidence\":[\"x\"],\"products\":[\"P\"],\(member.replacing("ITEMS", with: items))}"
        let failure = try #require(failure(try endpoint(catalog: false), body))
        #expect(failure.code == .badRequest, "\(failure.message)")
        #expect(failure.message.contains("more than"), "\(failure.message)")
    }

    /// Checks that the answer's size is limited. Each verdict names each source, so a thousand of each exceed
    /// the limit.
    @Test func answersHaveALimit() throws {
        let genuine = try Self.evidence("eligibility/receipts/trial-then-left.der").dropFirst().dropLast()
        let evidence = Array(repeating: String(genuine), count: 1_000).joined(separator: ",")
        func body(_ products: Int) -> String {
            let names = (0..<products).map { "\"P\($0)\"" }.joined(separator: ",")
            return "{\"evidence\":[\(evidence)],\"products\":[\(names)]}"
        }
        let failure = try #require(failure(try endpoint(catalog: false), body(1_000)))
        #expect(failure.code == .badRequest, "\(failure.message)")
        #expect(failure.message.contains("name fewer"), "\(failure.message)")
        #expect(try endpoint(catalog: false).answer(to: Array(body(10).utf8), at: Self.now).count < 1 << 20)
    }

    @Test func oneByteTooMany() throws {
        let most = EligibilityEndpoint.maximumRequestBytes
        let body = Array(#"{"evidence":["x"],\#(Self.basic)}"#.utf8)
        let endpoint = try endpoint(catalog: false)
        let longest = body + [UInt8](repeating: 0x20, count: most - body.count)
        #expect(try endpoint.request(longest).products == ["P"])
        #expect(throws: EligibilityFailure.self) { try endpoint.request(longest + [0x20]) }
    }

    /// Checks that the failure lists every refused object with its index and path, and contains no verdicts.
    @Test func refusalsHaveIndexAndPath() throws {
        let genuine = try Self.evidence("eligibility/receipts/trial-then-left.der").dropFirst().dropLast()
        let body = """
            {"evidence":["MAA=",\(genuine),"{\\"signedTransactionInfo\\":\\"a.b.c\\"}"],"renewal_info":["x"]}
            """
        let failure = try #require(failure(try endpoint(), body))
        #expect(failure.code == .refused)
        #expect(failure.refused.map(\.index) == [0, 2, 0])
        #expect(failure.refused.map(\.isRenewal) == [false, false, true])
        #expect(failure.refused.map(\.place) == ["", "#signedTransactionInfo", ""])
        let refusals = try AnswerFixtures.object(failure.json)["refusals"] as? [[String: Any]]
        #expect(refusals?[1]["path"] as? String == "signedTransactionInfo")
        #expect(
            refusals?.map { Set($0.keys) } == [
                ["evidence", "refusal"], ["evidence", "path", "refusal"], ["renewal_info", "refusal"],
            ])
    }

    /// Checks that with `"refused_evidence":"caveat"` the answer has verdicts on the remaining evidence and
    /// lists the refusals.
    @Test func refusedEvidenceCanBeACaveat() throws {
        let genuine = try Self.evidence("eligibility/receipts/trial-then-left.der").dropFirst().dropLast()
        let body = #"{"evidence":["MAA=",\#(genuine)],"renewal_info":["x"],"refused_evidence":"caveat"}"#
        let answer = try AnswerFixtures.object(endpoint().answer(to: Array(body.utf8), at: Self.now))
        let refusals = try #require(answer["refusals"] as? [[String: Any]])
        #expect(refusals.map { $0["evidence"] as? Int } == [0, nil])
        #expect(refusals.map { $0["renewal_info"] as? Int } == [nil, 0])
        for verdict in try #require(answer["verdicts"] as? [[String: Any]]) {
            #expect(verdict["sources"] as? [String] == ["evidence[1]"])
            for offer in ["introductory_offer", "promotional_offer", "win_back_offer"] {
                let caveats = (verdict[offer] as? [String: Any])?["caveats"] as? [String]
                #expect(caveats?.contains("evidence-refused") == true)
            }
        }
    }

    /// Checks that a request without any genuine evidence fails.
    @Test func refusedEvidenceAloneHasNoVerdict() throws {
        let body = #"{"evidence":["MAA="],"refused_evidence":"caveat"}"#
        let failure = try #require(failure(try endpoint(), body))
        #expect(failure.code == .refused)
        #expect(failure.refused.map(\.index) == [0])
    }

    /// Checks that a request whose only genuine object is in `renewal_info` fails, as `eligibility --merge` does.
    @Test(arguments: ["", #","refused_evidence":"caveat""#])
    func renewalInfoAloneHasNoVerdict(option: String) throws {
        let empty =
            #"{\"bundleId\":\"com.example.tides\",\"environment\":\"Production\",\"hasMore\":false,\"signedTransactions\":[]}"#
        let signed = try Self.evidence("jws/transaction.jws")
        let failure = try #require(
            failure(try endpoint(), #"{"evidence":["\#(empty)"],"renewal_info":\#(signed)\#(option)}"#))
        #expect(failure.code == .refused)
        #expect(failure.refused.map(\.refusal.code) == [.malformed])
    }

    /// Checks evidence that is only renewal information, whose transaction is in `renewal_info` beside refused evidence.
    @Test func bareEvidenceCountsBesideRefusals() throws {
        let (bare, signed) = (
            try Self.evidence("jws/renewal-info.jws"), try Self.evidence("jws/transaction.jws")
        )
        let body =
            #"{"evidence":\#(bare),"renewal_info":[\#(signed.dropFirst().dropLast()),"x"],"products":["com.example.tides.monthly"],"refused_evidence":"caveat"}"#
        let answer = try AnswerFixtures.object(
            endpoint(.app("com.example.tides", .anyEnvironment)).answer(to: Array(body.utf8), at: Self.now))
        let verdicts = try #require(answer["verdicts"] as? [[String: Any]])
        #expect(verdicts.map { $0["sources"] as? [String] } == [["evidence[0]"]])
    }

    /// Checks that evidence of another app than the expected one is refused.
    @Test func policyIsApplied() throws {
        let body = #"{"evidence":\#(try Self.evidence("eligibility/receipts/trial-then-left.der"))}"#
        let failure = try #require(
            failure(try endpoint(.app("com.example.other", .anyEnvironment)), body))
        #expect(failure.refused.map(\.refusal.code) == [.wrongBundleID])
    }

    /// Checks that genuine evidence of two apps is not merged.
    @Test func appsAreNotMerged() throws {
        let evidence = try Self.evidence(
            "eligibility/receipts/trial-then-left.der", "receipts/never-subscribed.der")
        let failure = try #require(failure(try endpoint(), #"{"evidence":\#(evidence)}"#))
        #expect(failure.code == .notMerged)
        #expect(failure.refused.isEmpty)
        #expect(failure.message.contains("evidence[0]"))
        #expect(failure.message.contains("evidence[1]"))
    }
}
