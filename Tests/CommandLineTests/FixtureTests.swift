import Foundation
import Testing

/// The files of `Fixtures/`: they match their specifications, and the tool gives the expected answers.
@Suite("fixtures")
struct FixtureTests {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL

    let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    @Test(
        "forging again gives the same files, byte for byte",
        arguments: [
            ("stories", "receipts"), ("eligibility", "eligibility/receipts"), ("jws", "jws"),
            ("evidence", "eligibility/evidence"),
        ])
    func specificationsForgeTheFixtures(specification: String, folder: String) throws {
        let answer = try tool.run(
            "forge", Self.path("specs/\(specification).json"), "--output", "receipts", "--roots", "roots")
        #expect(answer.status == 0, "\(answer.errors)")
        let forged = try Self.files(tool.folder.appending(path: "receipts"))
        let committed = try Self.files(Self.fixtures.appending(path: folder))
        #expect(!forged.isEmpty)
        #expect(Set(forged.keys) == Set(committed.keys))
        #expect(forged.filter { committed[$0.key] != $0.value }.keys.sorted() == [])
        for (name, bytes) in try Self.files(tool.folder.appending(path: "roots")) {
            #expect(try Data(contentsOf: Self.fixtures.appending(path: "roots/\(name)")) == bytes)
        }
    }

    @Test(
        "verify's answers to the fixtures, line by line",
        arguments: [("receipts", "storekit-test-root"), ("jws", "storekit-test-jws-root")])
    func verified(folder: String, storeKitTest: String) throws {
        let answer = try tool.run(
            "verify", "--json", "--root", Self.path("roots/root.cer"),
            "--storekit-test-root", Self.path("roots/\(storeKitTest).cer"), Self.path(folder))
        let expected = try String(
            contentsOf: Self.fixtures.appending(path: "\(folder).expected.ndjson"), encoding: .utf8)
        let lines = expected.split(separator: "\n")
        #expect(answer.lines.count == lines.count)
        for (line, expected) in zip(answer.lines, lines) { #expect(line == expected) }
    }

    @Test("each eligibility question gets its expected answers", arguments: try Question.all())
    func questionsHaveTheirAnswers(question: Question) throws {
        let folder = Self.fixtures.appending(path: "eligibility")
        try FileManager.default.copyItem(at: folder, to: tool.folder.appending(path: "eligibility"))
        let answer = try tool.run(
            "eligibility", "--json", "--root", Self.path("roots/root.cer"), files: question.arguments,
            shell: #"cd eligibility && exec "$@""#)
        #expect(answer.status == 0)
        // A product without a group may be misspelled, so a message names it.
        #expect(answer.errors.isEmpty != question.rules.contains("introductory_offer unknown-product"))
        let answers = try answer.objects.map { object in
            // The clock's date is not part of the expected answer.
            try Question.text(question.asOf == nil ? object.filter { $0.key != "as_of" } : object)
        }
        #expect(answers == question.answers, "\(answer.output)")
    }

    @Test("every rule of every offer decides a question")
    func everyRule() throws {
        let rules = try tool.run("rules", "--json").objects.map { rule in
            "\(rule["offer"] ?? "")_offer \(rule["rule"] ?? "")"
        }
        #expect(rules.count > 20)
        #expect(try Set(Question.all().flatMap(\.rules)) == Set(rules))
    }

    private static func path(_ name: String) -> String { fixtures.appending(path: name).path }

    private static func files(_ folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: folder.appending(path: $1)) }
    }
}

/// An entry of `eligibility/questions.json`. Paths are relative to that file.
struct Question: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let asOf: String?
    let arguments: [String]
    /// The expected answers, with sorted members.
    let answers: [String]
    /// The deciding rules of the answers, as `offer rule`.
    let rules: [String]

    static func all() throws -> [Question] {
        let bytes = try Data(contentsOf: FixtureTests.fixtures.appending(path: "eligibility/questions.json"))
        let entries = try JSONSerialization.jsonObject(with: bytes) as? [[String: Any]] ?? []
        return try entries.map(Question.init)
    }

    static func text(_ object: [String: Any]) throws -> String {
        let bytes = try JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: bytes, as: UTF8.self)
    }

    private init(_ entry: [String: Any]) throws {
        testDescription = try #require(entry["name"] as? String)
        asOf = entry["as_of"] as? String
        let receipt = try #require(entry["receipt"] as? String)
        let renewals = entry["renewal_info"] as? String
        let evidence = entry["evidence"] as? [String] ?? []
        var arguments = evidence.isEmpty ? [receipt] : ["--merge", receipt] + evidence
        arguments += ["--catalog", "Store.storekit"]
        if let asOf { arguments += ["--as-of", asOf] }
        if let renewals { arguments += ["--renewal-info", renewals] }
        for product in entry["products"] as? [String] ?? [] { arguments += ["--product", product] }
        arguments += entry["flags"] as? [String] ?? []
        self.arguments = arguments
        let objects = try #require(entry["answers"] as? [[String: Any]])
        answers = try objects.map(Self.text)
        rules = objects.flatMap { object in
            ["introductory_offer", "promotional_offer", "win_back_offer"].map { offer in
                "\(offer) \((object[offer] as? [String: Any])?["rule"] ?? "")"
            }
        }
    }
}
