import Foundation
import ReceiptForge
import Testing

@Suite("Questions to a database")
struct AskTests {
    let tool: CommandLineTool

    init() throws {
        tool = try .withReceipts()
        let audit = try tool.run(
            "audit", "genuine.der", "forged.der", "--root", "root.cer", "--output", "audit.sqlite")
        #expect(audit.status == 1)
    }

    static let names = [
        "trials-twice", "shared-receipts", "active", "expiring", "lapsed", "refunds", "revenue",
        "offers-used", "customers",
        "unverified",
    ]

    @Test("questions lists all questions without a database")
    func list() throws {
        let answer = try tool.run("ask", "questions")
        #expect(answer.status == 0)
        #expect(answer.errors.isEmpty)
        let names = answer.lines.filter { !$0.hasPrefix(" ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(names == Self.names)
    }

    @Test("each question has a number, rows and accounts", arguments: names)
    func answers(name: String) throws {
        let text = try tool.run("ask", name, "--database", "audit.sqlite")
        #expect(text.status == 0)
        #expect(text.lines.first?.first?.isNumber == true)
        #expect(text.output.contains("accounts concerned"))
        let lines = try tool.run("ask", name, "--database", "audit.sqlite", "--json").objects
        let answer = try #require(lines.first)
        #expect(answer["question"] as? String == name)
        let (number, unit) = (answer["number"] as? Int ?? -1, answer["unit"] as? String ?? "")
        #expect(text.lines.first.map(String.init) == "\(number) \(unit)")
        #expect(lines.filter { $0["account"] != nil }.count == answer["accounts"] as? Int)
        let rows = try tool.run("ask", name, "--database", "audit.sqlite", "--csv")
        #expect(rows.output.split(separator: "\r\n").count == 1 + lines.filter { $0["row"] != nil }.count)
        let accounts = try tool.run("ask", name, "--database", "audit.sqlite", "--csv", "--accounts")
        #expect(accounts.output.split(separator: "\r\n").count == 1 + (answer["accounts"] as? Int ?? -1))
    }

    @Test(
        "wrong usage",
        arguments: [
            (["ask"], "error: QUESTION: missing; appreceipt ask questions lists them"),
            (
                ["ask", "trial", "--database", "audit.sqlite"],
                "error: QUESTION: 'trial' is not one of trials-twice, "
            ),
            (["ask", "active"], "error: --database: required; "),
            (
                ["ask", "refunds", "--on", "2026-01-01", "--database", "audit.sqlite"],
                "error: --on: only for active, expiring, lapsed"
            ),
            (
                ["ask", "active", "--by", "month", "--database", "audit.sqlite"],
                "error: --by: only for revenue"
            ),
            (
                ["ask", "revenue", "--by", "moon", "--database", "audit.sqlite"],
                "error: --by: 'moon' is not one of month, "
            ),
            (
                ["ask", "active", "--csv", "--json", "--database", "audit.sqlite"],
                "error: --csv, --json: only one can be given"
            ),
            (
                [
                    "ask", "refunds", "--from", "2026-01-01", "--to", "2025-01-01", "--database",
                    "audit.sqlite",
                ],
                "error: --from: must be before --to"
            ),
        ] as [([String], String)])
    func usage(arguments: [String], message: String) throws {
        let answer = try tool.run(files: arguments)
        #expect(answer.status == 64)
        #expect(answer.output.isEmpty)
        #expect(answer.errorLines.contains { $0.hasPrefix(message) }, "\(answer.errors)")
    }

    @Test("files that are no audit database", arguments: ["missing.sqlite", "genuine.der", "."])
    func otherFiles(name: String) throws {
        let answer = try tool.run("ask", "active", "--database", name)
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(answer.errors.hasPrefix("error: \(name): "))
        #expect(answer.errorLines.count == 1)
    }

    @Test("the database is not changed, and may be read-only")
    func readOnly() throws {
        let file = tool.folder.appending(path: "audit.sqlite")
        let before = try Data(contentsOf: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
        #expect(try tool.run("ask", "customers", "--database", "audit.sqlite").status == 0)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("--datasette writes a new file")
    func datasette() throws {
        let arguments = ["ask", "--database", "audit.sqlite", "--datasette", "metadata.json"]
        #expect(try tool.run(files: arguments).status == 0)
        let bytes = try Data(contentsOf: tool.folder.appending(path: "metadata.json"))
        let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        #expect((object?["databases"] as? [String: Any])?["audit"] != nil)
        let again = try tool.run(files: arguments)
        #expect(again.status == 2)
        #expect(again.errors.hasPrefix("error: refusing to overwrite metadata.json"))
    }
}
