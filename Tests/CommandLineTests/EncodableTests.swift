import AppReceipt
import Foundation
import OfferEligibility
import Testing

/// The encoding of the library's types, which must equal the tool's output.
@Suite("encodable")
struct EncodableTests {
    let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    private static func url(_ path: String) -> URL { FixtureTests.fixtures.appending(path: path) }

    private static func object(_ value: some Encodable) throws -> [String: Any] {
        let encoder = JSONEncoder()
        // The caller's encoder settings must not affect the result.
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .base64
        encoder.outputFormatting = .sortedKeys
        let object = try JSONSerialization.jsonObject(with: try encoder.encode(value))
        return try #require(object as? [String: Any])
    }

    private static func verifier() throws -> ReceiptVerifier {
        let roots = try ["root", "storekit-test-root"].map {
            try [UInt8](Data(contentsOf: url("roots/\($0).cer")))
        }
        return try ReceiptVerifier(anchors: .custom(roots[0]).adding(storeKitTest: roots[1]))
    }

    @Test(
        "every receipt of the fixtures, genuine or refused", arguments: ["receipts", "eligibility/receipts"])
    func receipts(folder: String) throws {
        let answer = try tool.run(
            "verify", "--json", "--root", Self.url("roots/root.cer").path,
            "--storekit-test-root", Self.url("roots/storekit-test-root.cer").path, Self.url(folder).path)
        let verifier = try Self.verifier()
        var genuine = 0
        for line in try answer.objects {
            let source = try #require(line["source"] as? String)
            let bytes = try [UInt8](Data(contentsOf: Self.url("\(folder)/\(source)")))
            var expected = line
            expected["source"] = nil
            expected["sha256"] = nil
            do {
                let receipt = try verifier.verify(bytes, for: .any)
                genuine += 1
                #expect(try Question.text(Self.object(receipt)) == Question.text(expected))
                let payload = try #require(line["receipt"] as? [String: Any])
                #expect(try Question.text(Self.object(receipt.payload)) == Question.text(payload))
            } catch let error as ReceiptError {
                expected = try #require(line["refusal"] as? [String: Any])
                #expect(try Question.text(Self.object(error)) == Question.text(expected))
            }
        }
        #expect(genuine > 10)
    }

    @Test("every verdict on offers survives encoding and decoding", arguments: try Question.all())
    func verdicts(question: Question) throws {
        guard question.asOf != nil else { return }
        let answer = try tool.run(
            "eligibility", "--json", "--root", Self.url("roots/root.cer").path, files: question.arguments,
            shell: "cd '\(Self.url("eligibility").path)' && exec \"$@\"")
        #expect(!answer.lines.isEmpty)
        for (line, object) in zip(answer.lines, try answer.objects) {
            let verdict = try JSONDecoder().decode(ReportedVerdict.self, from: Data(line.utf8))
            var expected = object
            expected["source"] = nil
            expected["sources"] = nil
            #expect(try Question.text(Self.object(verdict)) == Question.text(expected))
        }
    }

    @Test("a verdict encodes as the tool prints it, and decodes to the same value")
    func reported() throws {
        let verifier = try Self.verifier()
        let catalog = try SubscriptionCatalog(
            storeKitConfiguration: Data(contentsOf: Self.url("eligibility/Store.storekit")))
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.url("eligibility/receipts").path)
        #expect(files.count > 10)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: Self.url("eligibility/receipts/\(file)")))
            let receipt = try verifier.verify(bytes, for: .any)
            let verdicts = OfferRules(catalog: catalog).verdicts(
                for: catalog.products.map(\.id) + ["unknown"], in: PurchaseHistory(receipt),
                asOf: .date(receipt.verifiedAt))
            let data = try JSONEncoder().encode(verdicts)
            let read = try JSONDecoder().decode([ReportedVerdict].self, from: data)
            #expect(read == verdicts.map { ReportedVerdict($0) })
            let offers = verdicts.map(\.winBackOffer)
            #expect(
                try JSONDecoder().decode([ReportedVerdict.Offer].self, from: JSONEncoder().encode(offers))
                    == read.map(\.winBackOffer))
        }
    }

    @Test("texts outside the contract are not decoded")
    func refused() throws {
        for text in [#"["2024-02-30T00:00:00Z"]"#, #"["now"]"#, "[0]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([Timestamp].self, from: Data(text.utf8))
            }
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([OfferRuleID].self, from: Data(#"["no-such-rule"]"#.utf8))
        }
    }
}
