import Foundation
import ReceiptForge
import Testing

/// The options `--crl`, `--distrust` and `--revocation` of the commands that verify.
struct RevocationTests {
    private static let leaf: [UInt8] = [0x7E, 0x57, 0x00, 0x01]

    private static func withLists() throws -> CommandLineTool {
        let tool = try CommandLineTool.withReceipts()
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate)
        func write(
            _ name: String, by signer: Identity, _ change: (inout RevocationListProfile) -> Void = { _ in }
        )
            throws
        {
            var profile = RevocationListProfile()
            change(&profile)
            try tool.write(profile.signed(by: signer), to: name)
        }
        try write("good/leaf.crl", by: intermediate)
        try write("good/.root.crl", by: authority.root)
        try write("revoked.crl", by: intermediate) {
            $0.entries = [.init(leaf, date: "2020-01-01T00:00:00Z", reason: 1)]
        }
        try write("delta.crl", by: intermediate) { $0.extensions = [.deltaCRLIndicator(base: 1)] }
        try write("old.crl", by: intermediate) { $0.nextUpdate = "2025-02-01T00:00:00Z" }
        try write("other.crl", by: authority.leaf)
        try tool.write(
            Array(#"{"certificates": [{"serial": "7e570001", "reason": "key-compromise"}]}"#.utf8),
            to: "d.json")
        try tool.write(Array(#"{"certificates": [{"serial": "7g"}]}"#.utf8), to: "bad.json")
        try tool.write(Array("hello".utf8), to: "mixed/note.txt")
        return tool
    }

    private static func revocation(of answer: CommandLineTool.Answer) throws -> String {
        let object = try #require(try answer.objects.first)
        if let refusal = object["refusal"] as? [String: Any] { return "\(refusal["code"] ?? "")" }
        let status = try #require(object["revocation"] as? [String: Any])
        return "\(status["status"] ?? "") \(status["as_of"] ?? "")"
    }

    /// Checks the status in the line, the exit status and the messages.
    @Test(
        arguments: [
            ([], "not_checked <null>", 0, ""),
            (["--crl", "good"], "good 2025-01-01T00:00:00Z", 0, ""),
            (["--crl", "good/leaf.crl"], "no_information <null>", 0, ""),
            (["--crl", "good/leaf.crl", "--revocation", "require"], "revocation_unknown", 1, ""),
            (["--crl", "good", "--revocation", "require"], "good 2025-01-01T00:00:00Z", 0, ""),
            (["--crl", "revoked.crl"], "revoked", 1, ""),
            (["--distrust", "d.json"], "revoked", 1, ""),
            (["--revocation", "off"], "not_checked <null>", 0, ""),
            // A list that no result rests on.
            (
                ["--crl", "good", "--crl", "delta.crl"], "good 2025-01-01T00:00:00Z", 2,
                "error: delta.crl: not used: delta CRL, expected a complete list\n"
            ),
            (
                ["--crl", "other.crl"], "no_information <null>", 2,
                "error: other.crl: not used: its issuer has issued no certificate of a verified chain\n"
            ),
            (
                ["--crl", "revoked.crl", "--crl", "delta.crl"], "revoked", 2,
                "error: delta.crl: not used: delta CRL, expected a complete list\n"
            ),
            // An expired list shows the state of its date.
            (
                ["--crl", "good/.root.crl", "--crl", "old.crl"], "good 2025-01-01T00:00:00Z", 0,
                "appreceipt: old.crl: expired 2025-02-01T00:00:00Z; it shows the state of 2025-01-01T00:00:00Z, not of today\n"
            ),
        ] as [([String], String, Int32, String)])
    func verify(arguments: [String], revocation: String, status: Int32, errors: String) throws {
        let answer = try Self.withLists().run(
            "verify", "--json", "--root", "root.cer", "genuine.der", files: arguments)
        #expect(try Self.revocation(of: answer) == revocation)
        #expect(answer.status == status)
        #expect(answer.errors == errors)
    }

    /// Checks that a file that is not a list ends the command before the first answer.
    @Test(
        arguments: [
            (["--crl", "missing.crl"], "error: missing.crl: No such file or directory\n"),
            (["--crl", "root.cer"], "error: root.cer: not a certificate revocation list in DER or PEM: "),
            (["--crl", "mixed"], "error: mixed/note.txt: not a certificate revocation list in DER or PEM: "),
            (["--distrust", "bad.json"], "error: bad.json: not a distrust list: "),
            (["--distrust", "missing.json"], "error: missing.json: No such file or directory\n"),
            (
                ["--distrust", "d.json", "--distrust-key", "root.cer"],
                "error: root.cer: not a public key of minisign or ssh-ed25519\n"
            ),
        ] as [([String], String)])
    func unreadable(arguments: [String], error: String) throws {
        let answer = try Self.withLists().run(
            "verify", "--json", "--root", "root.cer", "genuine.der", files: arguments)
        #expect(answer.output.isEmpty)
        #expect(answer.errors.hasPrefix(error))
        #expect(answer.status == 2)
    }

    @Test(
        arguments: [
            (["--revocation", "check"], "--revocation check: requires --crl FILE or --distrust FILE"),
            (["--revocation", "require"], "--revocation require: requires --crl FILE"),
            (
                ["--revocation", "require", "--distrust", "d.json"],
                "--revocation require: requires --crl FILE"
            ),
            (
                ["--revocation", "off", "--crl", "good"],
                "--revocation off: cannot be combined with --crl or --distrust"
            ),
            (["--distrust-key", "root.cer"], "--distrust-key: requires --distrust FILE"),
            (["--crl", ""], "--crl, --distrust, --distrust-key: empty path"),
        ] as [([String], String)])
    func wrongUsage(arguments: [String], error: String) throws {
        let answer = try Self.withLists().run("verify", "genuine.der", files: arguments)
        #expect(answer.errorLines.first.map(String.init) == "error: " + error)
        #expect(answer.status == 64)
    }

    /// Checks that a distrust list needs its signature.
    @Test
    func distrustKey() throws {
        let tool = try Self.withLists()
        let list = "{\"certificates\": []}\n"
        try tool.write(Array(list.utf8), to: "list.json")
        try tool.write(Array("{\"certificates\": [] }\n".utf8), to: "changed.json")
        try tool.write(Array((Self.publicKey + "\n").utf8), to: "key.pub")
        for name in ["list.json", "changed.json"] {
            try tool.write(Array((Self.signature + "\n").utf8), to: name + ".minisig")
        }
        func run(_ list: String) throws -> CommandLineTool.Answer {
            try tool.run(
                "verify", "--brief", "--root", "root.cer", "genuine.der", "--distrust", list,
                "--distrust-key",
                "key.pub")
        }
        #expect(try run("list.json").status == 0)
        let changed = try run("changed.json")
        #expect(changed.output.isEmpty)
        #expect(
            changed.errors
                == "error: changed.json.minisig: not a signature of changed.json by the key in key.pub\n")
        #expect(changed.status == 2)
        #expect(try run("d.json").errors == "error: d.json.minisig: No such file or directory\n")
    }

    /// Checks that the other commands refuse, too.
    @Test
    func otherCommands() throws {
        let tool = try Self.withLists()
        try tool.write(Array(#"{"groups": {"g": ["com.example.app.monthly"]}}"#.utf8), to: "catalog.json")
        let eligibility = try tool.run(
            "eligibility", "genuine.der", "--root", "root.cer", "--catalog", "catalog.json", "--crl",
            "revoked.crl")
        #expect(eligibility.status == 1)
        #expect(eligibility.output.isEmpty)
        #expect(
            eligibility.errors.contains("genuine.der: refused (revoked): certificate 0: revoked 2020-01-01"))
        let answer = try tool.run(
            "verify-receipt", "genuine.der", "--root", "root.cer", "--distrust", "d.json")
        #expect(answer.status == 1)
        #expect(answer.output == "{\"status\":21003}\n")
        let unused = try tool.run(
            "verify-receipt", "genuine.der", "--root", "root.cer", "--environment", "production", "--crl",
            "delta.crl")
        #expect(unused.status == 2)
        let trusting = try tool.run(
            "eligibility", "--trusting", "saved.json", "--catalog", "catalog.json", "--crl", "good")
        #expect(trusting.status == 64)
    }

    /// Checks that forged lists are those that the commands read.
    @Test
    func forgedLists() throws {
        let tool = try CommandLineTool()
        let specification = #"""
            {"receipts": [{"name": "a", "receipt": {"receipt_creation_date": "2024-06-01T00:00:00Z"}}],
             "revocation_lists": [{"name": "leaves", "revoked": [
                 {"serial": "7e570001", "date": "2024-07-01T00:00:00Z", "reason": "superseded"}]},
               {"name": "intermediates", "signer": "root", "encoding": "pem"}]}
            """#
        try tool.write(Array(specification.utf8), to: "spec.json")
        let refused = try tool.run("forge", "spec.json", "--output", "out")
        #expect(refused.status == 64)
        #expect(
            refused.errorLines.first == "error: --crls: required for the revocation_lists of spec.json")
        #expect(
            try tool.run("forge", "spec.json", "--output", "out", "--roots", "roots", "--crls", "crls").status
                == 0)
        let answer = try tool.run(
            "verify", "out", "--json", "--root", "roots/root.cer", "--crl", "crls", "--revocation", "require")
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(
            answer.output.contains(
                #""revocation":{"status":"good","as_of":"2025-01-01T00:00:00Z","caveats":["before-revocation"]}"#
            ))
        let text = try tool.run("verify", "out", "--root", "roots/root.cer", "--crl", "crls")
        #expect(
            text.output.contains(
                "revocation    good as of 2025-01-01T00:00:00Z; a certificate was revoked later; the date before that is the signer's claim\n"
            ), "\(text.output)")
    }

    private static let publicKey = """
        untrusted comment: minisign public key 423CF20B0882B531
        RWQxtYIIC/I8QiAzVdUFtIpLT6AinCK1FCBqluHSAiQskblGxRKm+lEp
        """

    private static let signature = """
        untrusted comment: signature from minisign secret key
        RUQxtYIIC/I8Qh/mKbSZdFbYmMOXpD+9FcDTm1RgryfVKM/8DTY53V8iQQcioYN0XT/1q7h1BIwAKMfRWcfh/TLYTeSifEx1fgQ=
        trusted comment: a list
        LzDWLVIrr1Ld24z1cifzyFwu1aQM/bhcDzLPUPbr/40yVGejVpy4PuUZghfmN6XMP2SzC4b4+GKGM2wBuRLRBA==
        """
}
