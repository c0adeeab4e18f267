import Foundation
import Testing

@Suite("evidence")
struct EvidenceTests {
    static let genuine =
        FixtureTests.fixtures.appending(path: "genuine/receipts/ideas-mac-mindnode-sha256-production.der")
        .path
    static let jws = FixtureTests.fixtures.appending(path: "jws").path
    static let root = FixtureTests.fixtures.appending(path: "roots/root.cer").path

    let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: tool.folder.appending(path: path)))
    }

    /// Returns the exit status and the output of check.sh.
    private func check(_ folder: String) throws -> (status: Int32, text: String) {
        let answer = try tool.run(folder, shell: "sh \(folder)/check.sh 2>&1")
        return (answer.status, answer.output)
    }

    @Test("the evidence of a receipt is complete, and both checks confirm it")
    func receipt() throws {
        let made = try tool.run("evidence", Self.genuine, "--output", "e")
        #expect(made.status == 0, "\(made.errors)")
        let (status, text) = try check("e/ideas-mac-mindnode-sha256-production.der".path(in: tool))
        #expect(status == 0, "\(text)")
        #expect(text.contains("\nCONFIRMED: Apple signed content.der: "), "\(text)")
        let values = try tool.run("-", shell: "python3 -I e/*/check.py")
        #expect(values.status == 0, "\(values)")
        #expect(values.output.contains("40 values match"), "\(values)")
        let own = try tool.run("evidence", "--check", "e")
        #expect(own.status == 0, "\(own.output)")
        #expect(own.output.contains(": verified, GENUINE\n"), "\(own.output)")
        #expect(own.output.hasSuffix("not verified, stated by the author: record name\n"))
    }

    /// Shell commands that lack a program, a temporary folder or a bundle, each with the output of check.sh.
    static let shortages: [(shell: String, says: String)] = [
        (
            "sed -i 's,^PATH=[^ ]*,PATH=/nonexistent,' e/*/check.sh; sh e/*/check.sh",
            "NOT CHECKED: cat: missing\n"
        ),
        (
            "TMPDIR=/nonexistent sh e/*/check.sh",
            "NOT CHECKED: no place for temporary files: see TMPDIR\n"
        ),
        ("sh e/*/check.sh nowhere", "NOT CHECKED: there is no such folder, or it is not readable\n"),
        ("sh e/*/check.sh ''", "NOT CHECKED: an empty name of a folder\n"),
    ]

    @Test("if check.sh cannot check, it does not report a forgery", arguments: shortages)
    func failedCheckIsNotAForgery(shell: String, says: String) throws {
        #expect(try tool.run("evidence", Self.genuine, "--output", "e").status == 0)
        let answer = try tool.run("-", shell: "(\(shell)) 2>&1")
        #expect(answer.status == 2, "\(answer)")
        #expect(answer.output.hasSuffix(says), "\(answer)")
        #expect(!answer.output.contains("NOT CONFIRMED"))
    }

    @Test("under other roots, the check reports the untrusted root and nothing else")
    func otherRoots() throws {
        let receipt = FixtureTests.fixtures.appending(path: "receipts/trial-running.der").path
        #expect(try tool.run("evidence", receipt, "--root", Self.root, "--output", "e").status == 0)
        let other = try tool.run("evidence", "--check", "e")
        #expect(other.status == 1, "\(other)")
        #expect(other.lines.count == 1, "\(other)")
        #expect(other.output.contains("signed under an untrusted root of SHA-256 "))
        #expect(try tool.run("evidence", "--check", "e", "--root", Self.root).status == 3)
    }

    @Test("verdict.json is the line of verify, and the printed digest is that of the manifest")
    func verdict() throws {
        let made = try tool.run("evidence", Self.genuine, "--output", "e")
        let name = try #require(made.lines.first?.split(separator: " ").first)
        let line = try tool.run("verify", "--json", Self.genuine).output
        #expect(try bytes("e/\(name)/verdict.json") == Array(line.utf8))
        let digest = try tool.run(
            "-", shell: "openssl dgst -sha256 -r e/\(name)/SHA256SUMS")
        #expect(made.output.contains(digest.output.prefix(64)))
    }

    @Test(
        "every object of a response or notification has a folder, also if it answers no question",
        arguments: [[], ["--catalog", "catalog.json", "--as-of", "2026-03-01T00:00:00Z"]])
    func objects(question: [String]) throws {
        try tool.write(Array(#"{"groups": {"g": ["com.example.app.monthly"]}}"#.utf8), to: "catalog.json")
        let made = try tool.run(
            "evidence", Self.jws, "--root", Self.root, "--output", "e", files: question)
        #expect(made.status == 1)
        let names = made.lines.map { $0.split(separator: " ")[0] }
        #expect(names.contains("history.json-signedTransactions-0"))
        #expect(names.contains("notification.jws-data.signedTransactionInfo"))
        for name in names {
            let own = try tool.run("evidence", "--check", "e/\(name)", "--root", Self.root)
            let (status, text) = try check("e/\(name)".path(in: tool))
            #expect(own.status == 3 || own.status == 4)
            // The script cannot extract a JWS from another one.
            let isNested = name.hasPrefix("notification.jws-")
            #expect(status == (isNested ? 2 : own.status), "\(name): \(text)")
        }
    }

    @Test("an object has its own evidence if another one has the same path")
    func objectsOfOnePath() throws {
        let jws = try String(contentsOfFile: "\(Self.jws)/transaction.jws", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let json = #"{"a.b": {"signedPayload": "x"}, "a": {"b": {"signedPayload": "\#(jws)"}}}"#
        try tool.write(Array(json.utf8), to: "two.json")
        let made = try tool.run("evidence", "two.json", "--root", Self.root, "--output", "e")
        #expect(made.lines.count == 2, "\(made)")
        #expect(try bytes("e/two.json-a.b.signedPayload-2/container") == Array(jws.utf8))
    }

    @Test("an archive is reproducible and can be checked directly")
    func archive() throws {
        for name in ["a.tar", "b.tar"] {
            #expect(try tool.run("evidence", Self.genuine, "--output", name).status == 0)
        }
        #expect(try bytes("a.tar") == bytes("b.tar"))
        #expect(try tool.run("evidence", "--check", "a.tar").status == 0)
        let listed = try tool.run("-", shell: "tar -tf a.tar")
        #expect(listed.status == 0)
        #expect(listed.output.contains("/check.sh\n"))
    }

    /// Files of a bundle, each with a change. The test updates the manifest afterwards.
    static let changes: [(file: String, change: String)] = [
        // One digit of a date.
        ("verdict.json", "s/2021-09-10/2021-09-11/"),
        ("citations.json", "s/2021-09-10/2021-09-11/"),
        // The offset of another value.
        ("citations.json", "s/\"offset\":[0-9]*/\"offset\":1/"),
    ]

    @Test("both checks detect a change, even with a new manifest", arguments: changes)
    func changesAreDetected(file: String, change: String) throws {
        #expect(try tool.run("evidence", Self.genuine, "--output", "e").status == 0)
        let folder = "e/ideas-mac-mindnode-sha256-production.der"
        let changed = try tool.run(
            "-",
            shell: """
                cd \(folder) && sed -i '\(change)' \(file) && names=$(cut -c 67- SHA256SUMS) &&
                sha256sum $names > sums && ! cmp -s sums SHA256SUMS && mv sums SHA256SUMS && ! python3 check.py
                """)
        try #require(changed.status == 0, "\(changed.errors)")
        #expect(changed.output.contains("NOT CONFIRMED: \(file): "), "\(changed.output)")
        let own = try tool.run("evidence", "--check", folder)
        #expect(own.status == 1, "\(own.output)")
        #expect(own.output.contains("\(folder)/\(file), byte "), "\(own.output)")
    }

    @Test("unexpected files are reported: another file, a hidden one, a link", arguments: ["x", ".x"])
    func unexpectedFilesAreReported(name: String) throws {
        #expect(try tool.run("evidence", Self.genuine, "--output", "e").status == 0)
        let folder = "e/ideas-mac-mindnode-sha256-production.der"
        try tool.write([1], to: "\(folder)/\(name)")
        #expect(try check(folder.path(in: tool)).status == 1)
        #expect(try tool.run("evidence", "--check", folder).status == 1)
        _ = try tool.run("-", shell: "cd \(folder) && rm \(name) content.der && ln -s ../x content.der")
        #expect(try check(folder.path(in: tool)).status == 1)
        let own = try tool.run("evidence", "--check", folder)
        #expect(own.status == 2, "\(own.errors)")
        #expect(own.errors.contains("content.der: not a file"), "\(own.errors)")
    }

    @Test("an archive with too many files is refused")
    func manyFiles() throws {
        #expect(try tool.run("evidence", Self.genuine, "--output", "a.tar").status == 0)
        let archive = try bytes("a.tar")
        let size = try #require(Int(String(decoding: archive[124..<135], as: UTF8.self), radix: 8))
        let entry = archive[..<(512 + (size + 511) / 512 * 512)]
        try tool.write(Array(repeating: entry, count: 101).flatMap { $0 } + archive.suffix(1024), to: "b.tar")
        let answer = try tool.run("evidence", "--check", "b.tar")
        #expect(answer.status == 2, "\(answer.errors)")
        #expect(answer.errors.contains("more files than an evidence folder can have"), "\(answer.errors)")
    }

    @Test("evidence under a custom root is not reported as Apple's")
    func ownRoot() throws {
        let made = try tool.run(
            "evidence", "\(Self.jws)/transaction.jws", "--root", Self.root, "--output", "e")
        #expect(made.status == 0)
        let (status, text) = try check("e/transaction.jws".path(in: tool))
        #expect(status == 3)
        #expect(text.contains("ANOTHER ROOT: "))
        #expect(try tool.run("evidence", "--check", "e").status == 1)
        #expect(try tool.run("evidence", "--check", "e", "--root", Self.root).status == 3)
    }

    @Test("existing files are not overwritten, and no partial output remains")
    func output() throws {
        try tool.write([1], to: "e/x")
        let full = try tool.run("evidence", Self.genuine, "--output", "e")
        #expect(full.status == 2, "\(full.errors)")
        #expect(full.errors.contains("not empty"), "\(full.errors)")
        // The output would be one of the inputs.
        try tool.write(Array("{}".utf8), to: "source/x")
        let below = try tool.run("evidence", "source", "--output", "source/e")
        #expect(below.status == 2)
        #expect(below.errors.contains("--output: source/e is inside the source folder source"))
        let none = try tool.run("evidence", "missing", "--output", "f")
        #expect(none.status == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
        #expect(!left.contains { $0.hasSuffix(".part") }, "\(left)")
    }

    @Test("the check does not take its settings from the evidence")
    func strictness() throws {
        let options = ["--sha1-signatures", "all", "--signature-checks", "64"]
        #expect(
            try tool.run("evidence", Self.genuine, "--output", "e", files: options).status == 0)
        let other = try tool.run("evidence", "--check", "e")
        #expect(other.status == 1, "\(other)")
        #expect(
            other.output.contains(
                "request.json: made with other settings; add --sha1-signatures all --signature-checks 64"
            ), "\(other)")
        #expect(try tool.run("evidence", "--check", "e", files: options).status == 0)
    }

    @Test("the tool and check.sh refuse an empty inclusion folder")
    func emptyFolder() throws {
        #expect(try tool.run("evidence", Self.genuine, "--output", "e.tar").status == 0)
        #expect(try tool.run("evidence", Self.genuine, "--output", "e").status == 0)
        let bundle = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "e".path(in: tool)).first)
        let inclusion = "e/\(bundle)/inclusion".path(in: tool)
        try FileManager.default.createDirectory(atPath: inclusion, withIntermediateDirectories: false)
        let own = try tool.run("evidence", "--check", "e")
        #expect(own.status == 2, "\(own.errors)")
        #expect(own.errors.contains("inclusion: empty folder"), "\(own.errors)")
        #expect(try check("e/\(bundle)".path(in: tool)).status == 1)
    }

    /// Invalid usages.
    static let usages: [[String]] = [
        // No output.
        ["evidence", genuine],
        // Products without groups.
        ["evidence", genuine, "--output", "e", "--product", "p"],
        // Two sources of groups.
        ["evidence", genuine, "--output", "e", "--catalog", "c", "--single-group"],
        // A check with options for a new bundle.
        ["evidence", "--check", "e", "--bundle-id", "b"],
        ["evidence", "--check", "e", "--output", "f"],
        ["evidence", "--check", "e", "--single-group"],
        ["evidence", "--check", "e", "--as-of", "2026-01-01"],
    ]

    @Test("wrong usage", arguments: usages)
    func usage(arguments: [String]) throws {
        #expect(try tool.run(arguments[0], files: Array(arguments.dropFirst())).status == 64)
    }

    @Test("eligibility has its reasons, and the catalog's private key is omitted")
    func eligibility() throws {
        let folder = FixtureTests.fixtures.appending(path: "eligibility")
        var catalog = try String(contentsOf: folder.appending(path: "Store.storekit"), encoding: .utf8)
        let brace = try #require(catalog.firstIndex(of: "{"))
        catalog.insert(
            contentsOf:
                #""subscriptionOffersKeyPair":{"id":"k","privateKey":"SECRET","otherKe\u0079":"SECRET"},"#,
            at: catalog.index(after: brace))
        try tool.write(Array(catalog.utf8), to: "c.storekit")
        let made = try tool.run(
            "evidence", folder.appending(path: "receipts/trial-then-a-year-with-a-gap.der").path, "--root",
            Self.root, "--catalog", "c.storekit", "--product", "com.example.tides.monthly", "--as-of",
            "2026-03-02T00:00:00Z", "--output", "e")
        #expect(made.status == 0, "\(made.errors)")
        let bundle = "e/trial-then-a-year-with-a-gap.der"
        let text = String(decoding: try bytes("\(bundle)/eligibility.txt"), as: UTF8.self)
        #expect(text.contains("introductory: ineligible by offer-used, proven; rests on \""))
        #expect(text.contains(" to 2026-03-10T18:30:00Z)"))
        #expect(text.split(separator: "\n").count <= 30)
        #expect(!String(decoding: try bytes("\(bundle)/catalog.json"), as: UTF8.self).contains("SECRET"))
        let alone = try tool.run("evidence", "--check", "e", "--root", Self.root)
        #expect(alone.status == 3)
        #expect(
            alone.output.contains(
                "not verified, stated by the author: record name, catalog, date, products ("))
        let (day, product) = ("2026-03-02T00:00:00Z", ["--product", "com.example.tides.monthly"])
        for (options, status) in [
            (["--as-of", day] + product, 3), (["--as-of", "2026-03-03T00:00:00Z"] + product, 1),
            // Without --product, the products are not verified, and the output says so.
            (["--as-of", day], 3), (["--as-of", day, "--product", "com.example.tides.yearly"], 1),
        ] {
            let asked = try tool.run(
                "evidence", files: ["--check", "e", "--root", Self.root, "--catalog", "c.storekit"] + options)
            #expect(asked.status == Int32(status), "\(asked)")
        }
        // A date from the clock does not match the date of --as-of, even if both are equal.
        let request = "\(bundle)/request.json"
        let clock = String(decoding: try bytes(request), as: UTF8.self).replacing(
            "\"is_clock\":false", with: "\"is_clock\":true")
        try tool.write(Array(clock.utf8), to: request)
        let asked = try tool.run(
            "evidence",
            files: ["--check", "e", "--root", Self.root, "--catalog", "c.storekit", "--as-of", day] + product)
        #expect(asked.status == 1)
        #expect(
            asked.output.contains(
                "as of a clock's reading of \(day), expected the date \(day) (--as-of)"))
    }

    @Test(
        "the report names the policy option that caused a refusal",
        arguments: [
            ("--bundle-id", "com.example.other", "wrong_bundle_id"), ("--device-id", "00", "wrong_device"),
            ("--environment", "xcode", "wrong_environment"),
        ])
    func refusalByThePolicyIsConfirmed(option: String, value: String, code: String) throws {
        let receipt = FixtureTests.fixtures.appending(
            path: "eligibility/receipts/trial-then-a-year-with-a-gap.der")
        let made = try tool.run(
            "evidence", receipt.path, "--root", Self.root, option, value, "--output", "e")
        #expect(made.status == 1, "\(made)")
        let checked = try tool.run("evidence", "--check", "e", "--root", Self.root)
        #expect(checked.status == 4, "\(checked)")
        #expect(checked.output.contains("REFUSED (\(code))"), "\(checked)")
        #expect(
            checked.output.hasSuffix("not verified, stated by the author: record name, \(option)\n"),
            "\(checked)")
    }
}

extension String {
    fileprivate func path(in tool: CommandLineTool) -> String { tool.folder.appending(path: self).path }
}
