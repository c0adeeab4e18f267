import Foundation
import Testing

/// The `appreceipt verify-receipt` command. ReceiptJSONTests covers the answers themselves.
@Suite("verify-receipt answers like Apple, for files")
struct VerifyReceiptTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        for (name, file) in [
            ("root.cer", "roots/root.cer"), ("a.der", "eligibility/receipts/half-a-year-then-left.der"),
            ("sandbox.der", "receipts/sandbox.der"), ("tampered.der", "receipts/tampered.der"),
            ("history.json", "jws/history.json"), ("transaction.jws", "jws/transaction.jws"),
            ("xcode.jws", "jws/xcode-transaction.jws"), ("left.jws", "eligibility/evidence/left.renewal.jws"),
        ] {
            try tool.write([UInt8](Data(contentsOf: Self.fixtures.appending(path: file))), to: name)
        }
    }

    private func run(_ arguments: String...) throws -> CommandLineTool.Answer {
        try tool.run("verify-receipt", "--root", "root.cer", files: arguments)
    }

    private func ids(_ answer: CommandLineTool.Answer) throws -> [String] {
        let list = try answer.objects[0]["latest_receipt_info"] as? [[String: String]] ?? []
        return list.compactMap { $0["transaction_id"] }
    }

    @Test("--latest adds newer transactions and renewal information")
    func latest() throws {
        let answer = try run("a.der", "--latest", "transaction.jws", "--latest", "left.jws")
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(answer.errors.isEmpty, "\(answer.errors)")
        #expect(answer.lines.count == 1, "\(answer.errors)")
        #expect(try ids(answer).first == "410002600200002")
        #expect(try (answer.objects[0]["pending_renewal_info"] as? [Any])?.count == 1)
        let asOfReceipt = try run("a.der", "--latest", "as-of-receipt")
        #expect(try ids(asOfReceipt) == Array(ids(answer).dropFirst()))
        #expect(asOfReceipt.status == 0)
        #expect(try ids(run("a.der")).isEmpty)
        #expect(try ids(run("a.der", "--latest", "history.json", "--exclude-old-transactions")).count == 2)
    }

    @Test("renewal information of --latest without a transaction is reported")
    func unmatchedRenewals() throws {
        try tool.write(
            [UInt8](
                Data(contentsOf: Self.fixtures.appending(path: "eligibility/receipts/trial-then-left.der"))),
            to: "b.der")
        let answer = try run("b.der", "--latest", "left.jws")
        #expect(answer.status == 0)
        #expect(answer.lines.count == 1)
        #expect(
            answer.errors.contains("--latest: omitted renewal information of 410002600100150"),
            "\(answer.errors)")
    }

    @Test("each receipt is answered for its own environment, or the accepted one")
    func environments() throws {
        let answer = try run("a.der", "sandbox.der", "tampered.der")
        #expect(try answer.objects.map { $0["status"] as? Int } == [0, 0, 21003])
        #expect(answer.status == 1)
        #expect(try answer.objects.map { $0["environment"] as? String } == ["Production", "Sandbox", nil])
        let production = try run("sandbox.der", "--environment", "production")
        #expect(production.output == "{\"status\":21007}\n")
        #expect(production.status == 1)
    }

    @Test("another appAppleId than the expected one is refused")
    func appAppleID() throws {
        let answer = try run("a.der", "--app-apple-id", "999")
        #expect(answer.status == 1, "\(answer.output)")
        #expect(answer.output.hasPrefix(#"{"status":21003"#), "\(answer.output)")
    }

    @Test("a refused object of --latest is reported with its file")
    func refusals() throws {
        let answer = try run("a.der", "--latest", "history.json", "--latest", "xcode.jws")
        #expect(answer.status == 1)
        #expect(answer.output.hasPrefix(#"{"status":21003,"refusal":{"code":"#))
        #expect(answer.errors.contains("a.der: refused (untrusted_chain) at xcode.jws"), "\(answer.errors)")
    }

    @Test(
        "wrong usage",
        arguments: [
            (["a.der", "sandbox.der", "--latest", "history.json"], "requires exactly one receipt"),
            (
                ["a.der", "--latest", "as-of-receipt", "--latest", "history.json"],
                "cannot be combined with files"
            ),
            (["a.der", "--environment", "xcode"], "supports only production and sandbox"),
            (["a.der", "--device-id", "00"], "appreceipt verify"), (["-", "--latest", "-"], "given twice"),
        ])
    func usage(arguments: [String], message: String) throws {
        let answer = try tool.run("verify-receipt", "--root", "root.cer", files: arguments)
        #expect(answer.status == 64, "\(answer.errors)")
        #expect(answer.output.isEmpty, "\(answer.errors)")
        #expect(answer.errors.contains(message), "\(answer.errors)")
    }

    @Test("unreadable files give status 2")
    func unreadable() throws {
        #expect(try run("nothing.der").status == 2)
        let answer = try run("a.der", "--latest", "nothing.json")
        #expect(answer.status == 2)
        #expect(answer.errors.contains("nothing.json"))
        #expect(answer.output.isEmpty)
    }
}
