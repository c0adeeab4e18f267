import AppReceipt
import Foundation
import JSONSchemas
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import StrictJSON
import Testing

@testable import ReceiptExamination

/// The contract's JSON lines from the library's API.
struct ContractJSONTests {
    private let receipt: [UInt8]
    private let verifier: ReceiptVerifier

    init() throws {
        let forged = try ReceiptRecipe(ReceiptContent(), authority: .test()).forge()
        receipt = forged.bytes
        verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
    }

    /// Returns the names of an object's members, in order.
    private func members(_ bytes: [UInt8]) throws -> [String] {
        var names: [String] = []
        var reader = JSONReader(bytes.span)
        try reader.object { (reader, name) throws(JSONError) in
            names.append(name)
            try reader.skip()
        }
        try reader.end()
        return names
    }

    @Test func everyMethodGivesTheSameBytes() throws {
        let examination = Examiner(verifier, policy: .any).examine(receipt)
        let line = examination.json(of: .source("a.der"))
        let verified = try verifier.verify(receipt, for: .any)
        #expect(verified.json(of: .source("a.der"), sha256: verifier.sha256(of: receipt)) == line)
        var writer = JSONWriter()
        writer.verification(examination, of: .source("a.der"))
        #expect(writer.bytes == line)
        #expect(try members(line).first == "source")
        #expect(try members(line).last == "receipt")
        #expect(line.starts(with: #"{"source":"a.der","sha256":""#.utf8))
    }

    @Test func refusalHasTheKnownMembers() throws {
        let examination = Examiner(verifier, policy: .any).examine([0x30, 0x00])
        let line = examination.json(of: .record(id: "7", subject: "mine"))
        do throws(ReceiptError) {
            _ = try verifier.verify([0x30, 0x00], for: .any)
            Issue.record("accepted")
        } catch {
            let digest = verifier.sha256(of: [0x30, 0x00])
            #expect(error.json(of: .record(id: "7", subject: "mine"), sha256: digest) == line)
        }
        #expect(try members(line) == ["id", "subject", "sha256", "status", "refusal"])
        #expect(String(decoding: line, as: UTF8.self).contains(#""code":"malformed""#))
    }

    @Test func verdictsAreSeparateOrInTheReceiptsLine() throws {
        let rules = OfferRules(
            catalog: try SubscriptionCatalog(parsing: #"{"groups": {"g": ["p", "q"]}}"#.utf8))
        let history = PurchaseHistory(try verifier.verify(receipt, for: .any))
        let verdicts = rules.verdicts(
            for: ["p", "q"], in: history, asOf: .date(Timestamp(millisecondsSince1970: 1_800_000_000_000)))
        let inside = verdicts.map { String(decoding: $0.json(), as: UTF8.self) }.joined(separator: ",")
        let line = Examiner(verifier, policy: .any).examine(receipt).json(
            of: .source("a"), verdicts: verdicts)
        #expect(String(decoding: line, as: UTF8.self).hasSuffix(",\"eligibility\":[\(inside)]}"))
        let alone = String(decoding: verdicts[0].json(of: .source("a")), as: UTF8.self)
        #expect(
            alone == "{\"source\":\"a\"," + String(decoding: verdicts[0].json(), as: UTF8.self).dropFirst())
    }

    /// Checks that each schema is valid JSON with an identifier. `Tests/Schema/run` validates output against
    /// these schemas.
    @Test(arguments: ContractSchema.allCases)
    func schemaIsValidJSON(schema: ContractSchema) throws {
        for document in [schema.document, ContractSchema.wholeDocument] {
            let names = try members(Array(document.utf8))
            #expect(names.first == "$schema")
            #expect(names.last == "$defs")
            #expect(document.contains("\"$id\": \"urn:appreceipt:schema:\(schema.rawValue)\""))
        }
    }

    /// Checks that the schema names every nested member that typed accessors read.
    @Test func theSchemaNamesEveryNestedMember() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let schema = try Data(contentsOf: source.appending(path: "EmbeddedFiles/JSONSchemas/verify.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: schema) as? [String: Any])
        let parts = try #require(document["$defs"] as? [String: Any])
        let folder = source.appending(path: "AppReceipt/JWS")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("AdvancedCommerce/") || $0.hasSuffix("CommitmentInfo.swift") }
        #expect(names.count == 10)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let members = text.matches(of: /members\.\w+\("(\w+)"\)/).map { String($0.1) }
            let type = try #require(name.split(separator: "/").last?.dropLast(".swift".count))
            let part = parts[type.prefix(1).lowercased() + type.dropFirst()] as? [String: Any]
            let properties = part?["properties"] as? [String: Any]
            #expect(members.count > 1, "\(type)")
            #expect(Set(members) == properties.map { Set($0.keys) }, "\(type)")
        }
    }

    /// Checks the algorithm names in the schema. Transaction receipts of versions 3 and 4 are signed with
    /// SHA-1 and SHA-256.
    @Test(arguments: [3, 4] as [UInt8])
    func theSchemaNamesTheAlgorithmOfEachTransactionReceipt(version: UInt8) throws {
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate).certificate.der
        let recipe = TransactionReceiptRecipe(version: version, signer: authority.leaf)
        let receipt = try verifier.verify(
            transactionReceipt: Array(try recipe.forge().utf8), for: .any,
            issuers: .custom(
                root: authority.root.certificate.der, versionTwo: intermediate, laterVersions: [intermediate])
        )
        var json = JSONWriter()
        json.verification(
            Examination(.success(.transactionReceipt(receipt)), format: .transactionReceipt), of: "a")
        let line = String(decoding: json.bytes, as: UTF8.self)
        let algorithm = try #require(line.firstMatch(of: /"algorithm":"(\w+)"/)).1
        let schema = ContractSchema.verify.document
        let names = try #require(schema.firstMatch(of: /"algorithm": \{"enum": \[([^\]]+)\]/)).1
        #expect(names.contains("\"\(algorithm)\""), "\(algorithm)")
    }
}
