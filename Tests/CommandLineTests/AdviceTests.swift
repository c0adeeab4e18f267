import ReceiptForge
import Testing

@Suite("Advice for misspelled commands and for refusals")
struct AdviceTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    @Test(
        "an unknown command",
        arguments: [
            // arguments, first line of the answer
            (["verfy", "genuine.der"], "error: unknown command 'verfy'; did you mean 'verify'?"),
            (["adit"], "error: unknown command 'adit'; did you mean 'audit'?"),
            (
                ["help", "nosuch"],
                "error: unknown command 'nosuch'; to verify a file, run appreceipt verify FILE"
            ),
            (["help", "ruls"], "error: unknown command 'ruls'; did you mean 'rules'?"),
            // a file without a command
            (
                ["genuine.der"],
                "error: unknown command 'genuine.der'; to verify a file, run appreceipt verify FILE"
            ),
            ([String(repeating: "x", count: 100_000)], nil),
        ] as [([String], String?)])
    func misspelledArgumentGetsASuggestion(arguments: [String], line: String?) throws {
        let answer = try tool.run(files: arguments)
        #expect(answer.status == 64)
        #expect(answer.output.isEmpty)
        if let line { #expect(answer.errorLines.first.map(String.init) == line) }
    }

    @Test(
        "an environment in the spelling of receipts", arguments: ["Production", "production", "PRODUCTION"])
    func environment(name: String) throws {
        let answer = try tool.run("verify", "--root", "root.cer", "--environment", name, "genuine.der")
        #expect(answer.status == 0)
    }

    @Test("a day means midnight UTC, and a message says so")
    func day() throws {
        let day = try tool.run(
            "eligibility", "genuine.der", "--root", "root.cer", "--single-group", "--product", "p", "--json",
            "--as-of",
            "2030-01-01")
        #expect(day.errors == "appreceipt: 2030-01-01: read as midnight UTC, 2030-01-01T00:00:00Z\n")
        #expect(try day.objects.first?["as_of"] as? String == "2030-01-01T00:00:00Z")
        for wrong in ["2030-02-30", "2030-1-1", "", "tomorrow"] {
            let answer = try tool.run(
                "eligibility", "genuine.der", "--single-group", "--product", "p", "--as-of", wrong)
            #expect(answer.status == 64)
            #expect(answer.errors.contains("is not an RFC 3339 date"))
        }
    }

    @Test("the refusal of a test receipt names the option that trusts its authority")
    func authorities() throws {
        let advice = { (answer: CommandLineTool.Answer) in answer.lines.first { $0.contains("advice") } }
        let forged = try tool.run("verify", "genuine.der")
        #expect(advice(forged)?.contains("--root FILE") == true)
        let xcode = try HostileVariant.named("storekit-test").forge().bytes
        try tool.write(xcode, to: "xcode.der")
        #expect(try advice(tool.run("verify", "xcode.der"))?.contains("--storekit-test-root FILE") == true)
        // With --root, the user needs no advice.
        #expect(try advice(tool.run("verify", "xcode.der", "--root", "root.cer")) == nil)
    }
}
