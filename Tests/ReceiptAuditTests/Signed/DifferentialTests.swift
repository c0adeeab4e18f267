import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptAudit

/// The same evidence of 2,000 customers gets the same answers from the audit, `eligibility --merge` and the endpoint of the
/// server and the C library. `Tests/Differential/make.py` made the customers.
@Suite("the same answers from every surface")
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

    /// The evidence of a customer as a request and an export name it.
    private struct Customer {
        let subject: String
        let evidence: [[UInt8]]

        var texts: [String] {
            evidence.map {
                $0.first == 0x30 ? Data($0).base64EncodedString() : String(decoding: $0, as: UTF8.self)
            }
        }

        /// A line for each piece; an answer of the App Store Server API is a line itself.
        var records: String {
            texts.map { text in
                let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
                return text.hasPrefix("{")
                    ? "{\"subject\":\"\(subject)\",\(text.dropFirst())\n"
                    : "{\"subject\":\"\(subject)\",\"receipt\":\"\(text)\"}\n"
            }.joined()
        }
    }

    private static func customers(_ half: Int) throws -> [Customer] {
        let evidence = try evidence.get()
        let lines = String(decoding: try bytes("customers.txt"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2000)
        return try lines.enumerated().filter { $0.offset % 2 == half }.map { number, line in
            Customer(
                subject: "c\(number)",
                evidence: try line.split(separator: " ").map { try #require(evidence[String($0)]) })
        }
    }

    /// A line's answer about a product, without what names the customer and the files.
    private static func answer(_ line: Substring) -> Substring {
        line.range(of: #""product_id":"#).map { line[$0.lowerBound...] } ?? line
    }

    /// Half of the customers are asked about a day before some of the evidence was signed, half about a later one.
    @Test(arguments: [(0, "2026-02-15T00:00:00Z"), (1, "2026-05-15T00:00:00Z")])
    func auditMergeAndEndpoint(half: Int, asOf: String) throws {
        let workplace = try Workplace()
        let customers = try Self.customers(half)
        let root = Self.fixtures.appending(path: "roots/root.cer").path
        let catalog = Self.fixtures.appending(path: "eligibility/Store.storekit").path
        let asked = ["--root", root, "--catalog", catalog, "--as-of", asOf]

        let export = try workplace.write(customers.map(\.records).joined().utf8, to: "in.ndjson")
        let audit = try Tool.run(
            ["audit", export, "--subject-verdicts", workplace.file("lines")] + asked)
        #expect(audit.status == 0, "\(audit.messages)")
        let lines = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        let audited = Dictionary(grouping: lines) { line in
            String(line.prefix(80).split(separator: "\"")[5])
        }

        var endpoint = EligibilityEndpoint(
            try ReceiptVerifier(anchors: .custom(try Self.bytes("roots/root.cer"))), demands: Demands(.anyApp)
        )
        endpoint.catalog = try SubscriptionCatalog(
            storeKitConfiguration: try Self.bytes("eligibility/Store.storekit"))
        var compared = 0
        for (number, customer) in customers.enumerated() {
            let request = try JSONSerialization.data(
                withJSONObject: ["evidence": customer.texts, "as_of": asOf])
            let body = String(
                decoding: try endpoint.answer(to: Array(request), at: Timestamp(millisecondsSince1970: 0)),
                as: UTF8.self)
            let answers = body.split(separator: #"{"sources":"#, omittingEmptySubsequences: true).dropFirst()
                .map { Self.answer($0.dropLast($0.hasSuffix("]}") ? 2 : 1)) }
            if number % 50 == 0 {
                let files = try customer.evidence.enumerated().map {
                    try workplace.write($1, to: "\(customer.subject)/\($0)")
                }
                let merged = try Tool.run(["eligibility", "--merge", "--json"] + files + asked)
                #expect(merged.status == 0, "\(merged.messages)")
                #expect(merged.output.split(separator: "\n").map(Self.answer) == answers)
            }
            #expect((audited[customer.subject] ?? []).map(Self.answer) == answers, "\(customer.subject)")
            compared += 1
        }
        #expect(compared == 1000)
    }
}
