import Foundation
import ReceiptForge
import Testing

@Suite("Exit statuses, and only the answer on standard output")
struct ExitStatusTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    @Test(
        "the worst result of a batch determines the status",
        arguments: [
            (["genuine.der"], Int32(0)),
            (["genuine.der", "forged.der"], 1),
            (["forged.der", "genuine.der"], 1),
            (["missing.der", "genuine.der"], 2),
            (["forged.der", "missing.der", "genuine.der"], 2),
        ] as [([String], Int32)])
    func batch(files: [String], status: Int32) throws {
        let answer = try tool.run("verify", "--json", "--root", "root.cer", files: files)
        #expect(answer.status == status)
        #expect(answer.errors.isEmpty)
        #expect(try answer.objects.map { $0["source"] as? String } == files)
    }

    @Test(
        "wrong usage",
        arguments: [
            ["verify"], ["verify", "--no-such-option", "genuine.der"], ["no-such-command"],
            ["verify", "--environment", "moon", "genuine.der"],
            ["verify", "--json", "--brief", "genuine.der"],
            ["verify", "--device-id", "xyz", "genuine.der"],
            ["verify", "--device-id", "123", "genuine.der"], ["verify", "--root"], ["inspect"],
            ["inspect", "genuine.der", "forged.der"],
        ])
    func usage(arguments: [String]) throws {
        let answer = try tool.run(files: arguments)
        #expect(answer.status == 64)
        #expect(answer.output.isEmpty)
        #expect(!answer.errors.isEmpty)
    }

    @Test(
        "an unlisted product is reported",
        arguments: [(["basic"], ""), (["typo", "basic"], "typo"), (["typo"], "typo")])
    func products(ids: [String], named: String) throws {
        try tool.write(Array(#"{"groups": {"main": ["basic"]}}"#.utf8), to: "catalog.json")
        let answer = try tool.run(
            "eligibility", "genuine.der", "--root", "root.cer", "--catalog", "catalog.json", "--json",
            files: ids.flatMap { ["--product", $0] })
        #expect(answer.status == 0)
        #expect(answer.lines.count == ids.count)
        let warning =
            "appreceipt: --product \(named): not in the catalog; the answer is unknown-product"
        #expect(answer.errorLines == (named.isEmpty ? [] : [warning[...]]))
    }

    /// Checks a record with receipts in two fields, and the explicit choice of one field.
    @Test(
        "fields with receipts that were not read give status 2",
        arguments: [([], 2), (["--receipt-field", "old"], 0)] as [([String], Int32)])
    func unreadFields(options: [String], status: Int32) throws {
        let receipt = try Data(contentsOf: tool.folder.appending(path: "genuine.der")).base64EncodedString()
        let record = #"{"old": "R", "new": "R"}"#.replacing("R", with: receipt)
        try tool.write(Array(record.utf8), to: "record.json")
        let answer = try tool.run(
            "audit", "record.json", "--ndjson", "-", "--root", "root.cer", files: options)
        #expect(answer.status == status)
        #expect(answer.lines.count == 1)
        let error =
            "error: record.json: receipts in new were not read; use --receipt-field, one run for each field"
        #expect(answer.errorLines.contains(error[...]) == (status == 2))
    }

    @Test("an empty folder is not a success for any command", arguments: ["verify", "eligibility", "audit"])
    func emptyFolderIsNotASuccess(command: String) throws {
        try tool.write([], to: "hollow/.keep")
        let asked = command == "eligibility" ? ["--single-group", "--product", "p"] : []
        let answer = try tool.run(command, "hollow", files: asked)
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(!answer.errors.isEmpty)
    }

    @Test(
        "--version prints the versions of tool and OpenSSL, and the roots",
        arguments: [
            ["--version"], ["-V"],
            // Commands with the flag, which do not run.
            ["verify", "--version"], ["audit", "no-such-file", "-V"],
            ["forge", "--version", "--no-such-option"],
        ])
    func version(arguments: [String]) throws {
        let answer = try tool.run(arguments[0], files: Array(arguments.dropFirst()))
        #expect(answer.status == 0)
        #expect(answer.errors.isEmpty)
        let lines = answer.lines
        try #require(lines.count == 6)
        #expect(lines[0].wholeMatch(of: /appreceipt \d+\.\d+\.\d+/) != nil)
        #expect(lines[1].wholeMatch(of: /OpenSSL, built with  OpenSSL 3\.\d+\.\d+ .*/) != nil)
        #expect(lines[2].wholeMatch(of: /OpenSSL, running     OpenSSL 3\.\d+\.\d+ .*/) != nil)
        // The digests in Certificates/SOURCES.md.
        #expect(
            lines[3...].map { $0.split(separator: " ").last ?? "" } == [
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            ])
    }

    @Test(
        "messages cannot control the terminal, whatever the arguments contain",
        arguments: [
            ["verify", "x", "--no-such"], ["no-such"], ["verify", "x", "--environment", "x"],
            ["audit", "in", "--output", "out", "--ndjson"],
        ])
    func escapes(arguments: [String]) throws {
        let hostile = "-\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}\nerror: fine"
        let answer = try tool.run(files: arguments.dropLast() + [arguments.last.map { $0 + hostile } ?? ""])
        #expect(answer.status == 64)
        #expect(
            answer.errors.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control
            })
        #expect(!answer.errors.contains("\u{202E}"))
        #expect(answer.errors.contains("\\u{1b}"))
        #expect(!answer.errorLines.contains { $0.hasPrefix("error: fine") })
    }

    @Test("help goes to standard output and shows an example", arguments: ["verify", "inspect"])
    func help(command: String) throws {
        let answer = try tool.run(command, "--help")
        #expect(answer.status == 0)
        #expect(answer.output.contains("Example: appreceipt \(command) "))
    }

    @Test(
        "a missing or invalid root",
        arguments: [
            ("missing.cer", "missing.cer: No such file"), ("genuine.der", "genuine.der: "),
            ("notes.txt", "notes.txt: "),
            ("truncated.cer", "truncated.cer: "),
        ])
    func root(name: String, message: String) throws {
        try tool.write(Array("no certificate".utf8), to: "notes.txt")
        try tool.write(Receipts.root().dropLast(), to: "truncated.cer")
        for option in ["--root", "--storekit-test-root"] {
            let answer = try tool.run("verify", "--json", option, name, "genuine.der")
            #expect(answer.status == 2)
            #expect(answer.output.isEmpty)
            #expect(answer.errors.hasPrefix("error: \(message)"))
            #expect(answer.errorLines.count == 1)
        }
    }

    @Test("a root in PEM")
    func pem() throws {
        let text = Data(try Receipts.root()).base64EncodedString(options: .lineLength64Characters)
        let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        try tool.write(Array(pem.utf8), to: "root.pem")
        let answer = try tool.run("verify", "--json", "--root", "root.pem", "genuine.der")
        #expect(answer.status == 0)
        #expect(try answer.objects.first?["realm"] as? String == "custom")
    }

    @Test(
        "an answer that cannot be written is not a success",
        arguments: [
            ("\"$@\" >&-", ["verify", "--root", "root.cer", "genuine.der"]),
            ("\"$@\" >/dev/full", ["verify", "--root", "root.cer", "genuine.der"]),
            ("\"$@\" >/dev/full", ["verify", "--json", "--root", "root.cer", "genuine.der"]),
            ("\"$@\" >/dev/full", ["inspect", "genuine.der"]),
            ("\"$@\" >&-", ["inspect", "genuine.der"]),
        ])
    func output(shell: String, arguments: [String]) throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let answer = try tool.run(files: arguments, shell: shell)
        #expect(answer.status == 2)
        #expect(answer.errorLines.count == 1)
        #expect(answer.errors.hasPrefix("error: standard output: "))
    }
}
