import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import ReceiptServices

/// The verdicts on 2,400 customers, which must be equal in the audit, in `eligibility --merge` and in the
/// endpoint of the server and the C library. `Tests/Differential/make.py` created the customers.
@Suite("The same answers from every interface")
struct DifferentialTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures").standardizedFileURL

    /// The evidence by its name, forged once.
    private static let evidence = Result {
        let specification = try ForgeSpecification(json: try bytes("specs/customers.json"))
        return try (0..<specification.count).reduce(into: [String: [UInt8]]()) { evidence, index in
            let file = try specification.forge(index)
            evidence[String(file.name.prefix { $0 != "." })] = file.bytes
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: fixtures.appending(path: path)))
    }

    /// The evidence of a customer, as requests and exports contain it.
    private struct Customer {
        let subject: String
        let evidence: [[UInt8]]

        var texts: [String] {
            evidence.map {
                $0.first == 0x30 ? Data($0).base64EncodedString() : String(decoding: $0, as: UTF8.self)
            }
        }

        /// Lines of an export, one for each text. A response of the App Store Server API is a line itself.
        var records: String {
            texts.map { text in
                let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
                return text.hasPrefix("{")
                    ? "{\"subject\":\"\(subject)\",\(text.dropFirst())\n"
                    : "{\"subject\":\"\(subject)\",\"receipt\":\"\(text)\"}\n"
            }.joined()
        }
    }

    /// A question about some of the customers.
    struct Question: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let asOf: String
        /// Whether some evidence of these customers is refused.
        var isOfRefused = false
        /// Selects a customer by its number and kinds of evidence. Customers with refused evidence have
        /// numbers from 2,000.
        let customers: @Sendable (_ number: Int, _ kinds: Set<Character>) -> Bool
        var app: String?
        /// The minimum number of customers with verdicts.
        let least: Int
    }

    /// The questions. Half of the customers are evaluated on a date before some of the evidence was signed,
    /// half on a later one. Customers with refused evidence are evaluated with an expected app, and without
    /// one if their evidence is of one app.
    static let questions = [
        Question(
            testDescription: "a date before some of the evidence", asOf: "2026-02-15T00:00:00Z",
            customers: { number, _ in number < 2000 && number % 2 == 0 }, least: 999),
        Question(
            testDescription: "a later date", asOf: "2026-05-15T00:00:00Z",
            customers: { number, _ in number < 2000 && number % 2 == 1 }, least: 999),
        Question(
            testDescription: "with refused evidence, one expected app", asOf: "2026-05-15T00:00:00Z",
            isOfRefused: true, customers: { number, _ in number >= 2000 }, app: "com.example.tides",
            least: 300),
        Question(
            testDescription: "with refused evidence, any app", asOf: "2026-05-15T00:00:00Z",
            isOfRefused: true, customers: { number, kinds in number >= 2000 && !kinds.contains("o") },
            least: 200),
    ]

    private static func customers(_ question: Question) throws -> [Customer] {
        let evidence = try evidence.get()
        let texts = try ["customers.txt", "customers-refused.txt"].map {
            String(decoding: try bytes($0), as: UTF8.self).split(separator: "\n")
        }
        #expect(texts.map(\.count) == [2000, 400])
        return try texts.joined().enumerated().compactMap { number, line in
            let names = line.split(separator: " ")
            guard question.customers(number, Set(names.compactMap(\.first))) else { return nil }
            return Customer(
                subject: "c\(number)", evidence: try names.map { try #require(evidence[String($0)]) })
        }
    }

    /// Returns a line's answer about a product, without the members that name the customer and the files.
    private static func answer(_ line: Substring) -> Substring {
        line.range(of: #""product_id":"#).map { line[$0.lowerBound...] } ?? line
    }

    @Test(arguments: questions)
    func auditMergeAndEndpoint(question: Question) throws {
        let workplace = try Workplace()
        let (asOf, customers) = (question.asOf, try Self.customers(question))
        let root = Self.fixtures.appending(path: "roots/root.cer").path
        let catalog = Self.fixtures.appending(path: "eligibility/Store.storekit").path
        let asked =
            ["--root", root, "--catalog", catalog, "--as-of", asOf]
            + (question.app.map { ["--bundle-id", $0] } ?? [])

        let export = try workplace.write(customers.map(\.records).joined().utf8, to: "in.ndjson")
        let audit = try Tool.run(
            ["audit", export, "--subject-verdicts", workplace.file("lines")] + asked)
        let isRefused = question.isOfRefused
        #expect(audit.status == (isRefused ? 1 : 0), "\(audit.messages)")
        let lines = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        let audited = Dictionary(grouping: lines) { line in
            String(line.prefix(80).split(separator: "\"")[5])
        }

        var endpoint = EligibilityEndpoint(
            try ReceiptVerifier(anchors: .custom(try Self.bytes("roots/root.cer"))),
            policy: question.app.map { .app($0, .anyEnvironment) } ?? .any)
        endpoint.catalog = try SubscriptionCatalog(
            storeKitConfiguration: try Self.bytes("eligibility/Store.storekit"))
        var compared = 0
        for (number, customer) in customers.enumerated() {
            let request = try JSONSerialization.data(
                withJSONObject: ["evidence": customer.texts, "as_of": asOf, "refused_evidence": "caveat"])
            let answers = try Self.answers(endpoint, to: Array(request))
            if number % 50 == 0 {
                let files = try customer.evidence.enumerated().map {
                    try workplace.write($1, to: "\(customer.subject)/\($0)")
                }
                let merged = try Tool.run(["eligibility", "--merge", "--json"] + files + asked)
                #expect(merged.status == 0 || isRefused, "\(merged.messages)")
                #expect(merged.output.split(separator: "\n").map(Self.answer) == answers)
            }
            #expect((audited[customer.subject] ?? []).map(Self.answer) == answers, "\(customer.subject)")
            compared += answers.isEmpty ? 0 : 1
        }
        #expect(compared > question.least)
    }

    /// Returns the verdicts of the endpoint, or an empty list if no genuine evidence is left.
    private static func answers(_ endpoint: EligibilityEndpoint, to request: [UInt8]) throws -> [Substring] {
        let body: String
        do throws(EligibilityFailure) {
            let answer = try endpoint.answer(to: request, at: Timestamp(millisecondsSince1970: 0))
            body = String(decoding: answer, as: UTF8.self)
        } catch {
            guard error.code == .refused else { throw error }
            return []
        }
        let verdicts = body.range(of: #"],"refusals":["#).map { body[..<$0.lowerBound] + "]}" } ?? body[...]
        return verdicts.split(separator: #"{"sources":"#, omittingEmptySubsequences: true).dropFirst()
            .map { answer($0.dropLast($0.hasSuffix("]}") ? 2 : 1)) }
    }
}
