import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Audits with revocation lists: what they record, and what a replay with the same and with other lists finds.
struct RevocationAuditTests {
    private let workplace: Workplace
    /// Two receipts, of 2024 and 2026, and a refused one.
    private let input: String
    private let lists: [String]

    private static let leaf: [UInt8] = [0x7E, 0x57, 0x00, 0x01]

    init() throws {
        workplace = try Workplace()
        lists = ["--crl", workplace.file("root.crl"), "--crl", workplace.file("leaf.crl")]
        var late = ReceiptContent(bundleID: "com.example.app")
        late.creationDate = "2026-02-01T10:00:00Z"
        let early = ReceiptContent(bundleID: "com.example.app")
        let broken = try Forged.receipt(early).dropLast() + [0]
        input = try workplace.write(
            [
                Forged.line("early", early, subject: "anna"), Forged.line("late", late, subject: "bert"),
                Forged.line("broken", Array(broken), subject: "carl"),
            ].joined(), to: "in.ndjson")
        try workplace.write(Forged.root(), to: "root.cer")
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate)
        func write(
            _ name: String, by signer: Identity, _ change: (inout RevocationListProfile) -> Void = { _ in }
        ) throws {
            var profile = RevocationListProfile()
            change(&profile)
            try workplace.write(profile.signed(by: signer), to: name)
        }
        try write("root.crl", by: authority.root)
        try write("leaf.crl", by: intermediate)
        try write("newer.crl", by: intermediate) { $0.thisUpdate = "2026-03-01T00:00:00Z" }
        try write("revoked.crl", by: intermediate) {
            $0.thisUpdate = "2026-03-01T00:00:00Z"
            $0.entries = [.init(Self.leaf, date: "2026-01-01T00:00:00Z", reason: 4)]
        }
        try write("delta.crl", by: intermediate) { $0.extensions = [.deltaCRLIndicator(base: 1)] }
        try workplace.write(
            Array(#"{"certificates": [{"serial": "7e570001", "reason": "key-compromise"}]}"#.utf8),
            to: "distrust.json")
    }

    private func run(_ arguments: [String]) throws -> EndedProcess {
        try Tool.run(
            ["audit", input, "--root", workplace.file("root.cer"), "--as-of", "2026-06-01T00:00:00Z"]
                + arguments.map { $0.hasPrefix("@") ? workplace.file(String($0.dropFirst())) : $0 })
    }

    private func values(_ sql: String, _ name: String = "a.sqlite") throws -> [String] {
        try Connection(path: workplace.file(name)).prepare(sql).values()
    }

    private func audit(_ arguments: [String] = []) throws {
        #expect(try run(["--output", "@a.sqlite"] + lists + arguments).status == 1)
    }

    @Test
    func statusAndListsAreRecorded() throws {
        let made = try run(
            ["--output", "@a.sqlite", "--report", "@r.html", "--csv", "@csv"] + lists + [
                "--distrust", "@distrust.json", "--revocation", "check",
            ])
        #expect(made.status == 1)
        #expect(made.messages.contains("revocation: 0 good, 0 no information, 0 not checked, 3 revoked\n"))
        let other = try run(["--output", "@b.sqlite", "--report", "@r2.html", "--csv", "@csv2"] + lists)
        #expect(other.messages.contains("revocation: 2 good, 0 no information, 0 not checked, 0 revoked\n"))
        #expect(
            try values("SELECT coalesce(revocation, refusal_code) FROM receipts ORDER BY id", "b.sqlite")
                == ["good", "good", "bad_signature"])
        #expect(
            try values("SELECT refusal_code FROM receipts ORDER BY id") == [
                "revoked", "revoked", "revoked",
            ])
        #expect(
            try values(
                "SELECT CAST(issuer LIKE '%Test%' AND unused_because IS NULL AND issued_at = 1735689600000 AS TEXT) FROM revocation_lists",
                "b.sqlite") == ["1", "1"])
        #expect(
            try values(
                "SELECT CAST(json_array_length(json_extract(settings, '$.crl')) AS TEXT) FROM runs",
                "b.sqlite") == [
                    "2"
                ])
        #expect(try values("SELECT json_extract(settings, '$.revocation') FROM runs") == ["check"])
        let rows = try workplace.csv("csv2/receipts.csv")
        let column = try #require(rows.first?.firstIndex(of: "revocation"))
        #expect(rows.dropFirst().map { $0[column] } == ["good", "good", ""])
        let report = String(decoding: try workplace.read("r2.html"), as: UTF8.self)
        #expect(report.contains("2 good, 0 no information, 0 not checked, 0 revoked"))
        #expect(report.contains("issued 2025-01-01"))
    }

    @Test
    func auditWithoutListsSaysSo() throws {
        _ = try run(["--output", "@a.sqlite"])
        #expect(
            try values("SELECT reason FROM not_looked_for WHERE title = 'Revoked certificates'") == [
                "no revocation list was given (--crl)"
            ])
        #expect(
            try values("SELECT revocation FROM receipts WHERE revocation IS NOT NULL") == [
                "not_checked", "not_checked",
            ])
    }

    @Test(arguments: [["--output", "@a.sqlite", "--report", "@r.html"], ["--ndjson", "-"]])
    func unusableListIsNamed(outputs: [String]) throws {
        let answer = try run(outputs + lists + ["--crl", "@delta.crl"])
        #expect(answer.status == 2)
        #expect(
            answer.messages.contains(
                "error: \(workplace.file("delta.crl")): not used: delta CRL, expected a complete list\n"))
        guard outputs[0] == "--output" else { return }
        #expect(
            try values("SELECT unused_because FROM revocation_lists WHERE unused_because IS NOT NULL") == [
                "delta CRL, expected a complete list"
            ])
        #expect(
            String(decoding: try workplace.read("r.html"), as: UTF8.self).contains(
                "Lists that could not be used"))
    }

    /// Checks the settings that a resumed run needs, by digest and not by path.
    @Test
    func resumedRunNeedsTheSameLists() throws {
        try audit()
        let resume = ["--output", "@a.sqlite", "--resume"]
        #expect(try run(resume + lists.reversed().chunked().flatMap { $0 }).status == 1)
        let other = try run(resume + ["--crl", "@root.crl", "--crl", "@newer.crl"])
        #expect(other.status == 2)
        #expect(other.messages.contains("made with other settings: crl was "))
        let without = try run(resume)
        #expect(without.messages.contains("made with other settings: crl was "))
    }

    /// Checks that an interrupted run remembers which lists were used before.
    @Test
    func resumedRunRemembersUsedLists() throws {
        try audit()
        try unfinish(workplace.file("a.sqlite"))
        let resumed = try run(["--output", "@a.sqlite", "--resume"] + lists)
        #expect(resumed.status == 1)
        #expect(!resumed.messages.contains("not used"))
    }

    // MARK: - Replay

    /// Checks the exit status and the first difference.
    @Test(
        arguments: [
            // The same lists.
            (["@root.crl", "@leaf.crl"], [], 0, "3 records verified again: every row matches"),
            (["@leaf.crl", "@root.crl"], ["--new-lists"], 0, "3 records verified again: every row matches"),
            // No lists: the rule for missing settings.
            ([], [], 2, "made with the revocation list of SHA-256 "),
            // Other lists, or another policy, without the flag.
            (["@root.crl", "@newer.crl"], [], 2, "made with other settings: crl was "),
            (
                ["@root.crl", "@leaf.crl"], ["--revocation", "require"], 2,
                "made with other settings: revocation was check, is require"
            ),
            // Newer lists that change no verdict.
            (["@root.crl", "@newer.crl"], ["--new-lists"], 0, "0 verdicts changed"),
            // Newer lists that revoke the certificate of the later receipt.
            (
                ["@root.crl", "@revoked.crl"], ["--new-lists"], 1,
                #"record 2 ("late"): was genuine (good), is refused (revoked): certificate 0: revoked 2026-01-01"#
            ),
            (
                ["@root.crl", "@revoked.crl"], ["--new-lists"], 1,
                #"record 1 ("early"): was genuine (good), is genuine (good,before-revocation)"#
            ),
            (["@root.crl", "@revoked.crl"], ["--new-lists"], 1, "2 verdicts changed"),
            // A list that no result rests on.
            (["@root.crl", "@newer.crl", "@delta.crl"], ["--new-lists"], 2, "not used: delta CRL"),
        ] as [([String], [String], Int32, String)])
    func replay(given: [String], options: [String], status: Int32, text: String) throws {
        try audit()
        let answer = try run(["--replay", "@a.sqlite"] + given.flatMap { ["--crl", $0] } + options)
        #expect(answer.status == status)
        #expect((answer.output + answer.messages).contains(text))
    }

    /// Checks a replay of an audit without lists.
    @Test(
        arguments: [
            ([], 0, "every row matches"),
            (["--crl", "@root.crl", "--crl", "@leaf.crl"], 2, "made with other settings: crl was [], is "),
            (
                ["--revocation", "require", "--crl", "@leaf.crl"], 2,
                "made with other settings: crl was [], is "
            ),
            (
                ["--crl", "@root.crl", "--crl", "@leaf.crl", "--new-lists"], 0,
                "2 genuine records: revocation was not_checked, is good"
            ),
            (
                ["--distrust", "@distrust.json", "--new-lists"], 1,
                #"record 1 ("early"): was genuine (not_checked), is refused (revoked): certificate 0: distrusted, key compromise"#
            ),
            // The policy of the run is off, and must not weaken that of the replay.
            (
                ["--crl", "@leaf.crl", "--revocation", "require", "--new-lists"], 1,
                #"record 1 ("early"): was genuine (not_checked), is refused (revocation_unknown)"#
            ),
        ] as [([String], Int32, String)])
    func replayWithoutRecordedLists(options: [String], status: Int32, text: String) throws {
        #expect(try run(["--output", "@a.sqlite"]).status == 1)
        let answer = try run(["--replay", "@a.sqlite"] + options)
        #expect(answer.status == status)
        #expect((answer.output + answer.messages).contains(text))
    }

    /// Checks that a database with other settings for lists gets no weaker comparison, and that a comparison of
    /// verdicts still finds every other change.
    @Test(
        arguments: [
            // The lists of the run are given, and the database claims none.
            (
                "", ["--crl", "@root.crl", "--crl", "@leaf.crl"], 2,
                "made with other settings: crl was [], is "
            ),
            // None are given, as the database claims.
            ("", [], 1, #"receipts 1: revocation was "good", is "not_checked""#),
            (
                "UPDATE receipts SET subject = 'x' WHERE id = 1",
                ["--crl", "@root.crl", "--crl", "@newer.crl", "--new-lists"], 1,
                #"receipts 1: subject was "x", is "anna""#
            ),
            (
                "UPDATE receipts SET bundle_id = 'x' WHERE id = 2",
                ["--crl", "@root.crl", "--crl", "@newer.crl", "--new-lists"], 1,
                #"receipts 2: bundle_id was "x", is "com.example.app""#
            ),
            (
                "UPDATE receipts SET leaf = zeroblob(32) WHERE id = 2",
                ["--crl", "@root.crl", "--crl", "@newer.crl", "--new-lists"], 2,
                "the leaves do not lead to the Merkle root"
            ),
            (
                "DELETE FROM not_looked_for WHERE title LIKE 'Receipts of other apps%'",
                ["--crl", "@root.crl", "--crl", "@newer.crl", "--new-lists"], 1, ": missing row"
            ),
        ] as [(String, [String], Int32, String)])
    func plantedSettingsDoNotWeakenTheComparison(
        change: String, options: [String], status: Int32, text: String
    ) throws {
        try audit()
        try Connection(path: workplace.file("a.sqlite")).execute(
            """
            UPDATE runs SET settings = json_set(settings, '$.crl', '[]', '$.distrust', 'none', '$.revocation', 'off');
            \(change)
            """)
        let answer = try run(["--replay", "@a.sqlite"] + options)
        #expect(answer.status == status)
        #expect((answer.output + answer.messages).contains(text))
    }

    @Test(
        arguments: [
            (["--output", "@a.sqlite", "--new-lists"], "--new-lists: requires --replay FILE"),
            (
                ["--replay", "@a.sqlite", "--new-lists"],
                "--new-lists: requires --crl FILE or --distrust FILE"
            ),
        ] as [([String], String)])
    func wrongUsage(options: [String], error: String) throws {
        let answer = try run(options)
        #expect(answer.status == 64)
        #expect(answer.messages.hasPrefix("error: \(error)"))
    }

    // MARK: - Evidence

    @Test
    func evidenceCarriesItsLists() throws {
        let receipt = try Forged.receipt(ReceiptContent(bundleID: "com.example.app"))
        try workplace.write(receipt, to: "a.der")
        let root = ["--root", workplace.file("root.cer")]
        let folder = workplace.file("e")
        #expect(
            try Tool.run(["evidence", workplace.file("a.der"), "--output", folder] + root + lists).status == 0
        )
        func check(_ options: [String] = []) throws -> EndedProcess {
            try Tool.run(["evidence", "--check", folder] + root + options)
        }
        let alone = try check()
        #expect(alone.status == 3)
        #expect(alone.output.contains("stated by the author: record name, choice of revocation lists"))
        #expect(try check(lists).status == 3)
        let other = try check(["--crl", workplace.file("leaf.crl")])
        #expect(other.status == 1)
        #expect(other.output.contains("made with other revocation lists"))
        // Without one of its lists, and with sums that match.
        let bundle = URL(filePath: folder).appending(path: "a.der").path
        try FileManager.default.removeItem(atPath: bundle + "/1.crl")
        let sums = String(decoding: try workplace.read("e/a.der/SHA256SUMS"), as: UTF8.self)
        let kept =
            sums.split(separator: "\n").filter { !$0.hasSuffix(" 1.crl") }.joined(separator: "\n") + "\n"
        try workplace.write(Array(kept.utf8), to: "e/a.der/SHA256SUMS")
        let missing = try check()
        #expect(missing.status == 1)
        #expect(missing.output.contains("that is not in the bundle; add --crl FILE --revocation check"))
    }

    @Test
    func bundleOfAnAuditHasTheListsOnce() throws {
        // Two records of one receipt are a finding.
        let receipt = try Forged.receipt(ReceiptContent(bundleID: "com.example.app"))
        let source = try workplace.write(
            [Forged.line("1", receipt, subject: "anna"), Forged.line("2", receipt, subject: "bert")].joined(),
            to: "two.ndjson")
        let root = ["--root", workplace.file("root.cer")]
        let folder = workplace.file("bundle")
        let made = try Tool.run(["audit", source, "--evidence", folder] + root + lists)
        #expect(made.status == 0)
        let check = try Tool.run(["evidence", "--check", folder] + root)
        #expect(check.status == 3)
        #expect(check.output.contains("choice of revocation lists"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/revocation").sorted()
        #expect(names == ["1.crl", "2.crl"])
        // A record's folder alone lacks the lists, and says so.
        let alone = try Tool.run(["evidence", "--check", folder + "/records/1"] + root)
        #expect(alone.status == 1)
        #expect(alone.output.contains("that is not in the bundle; add --crl FILE"))
        let given = try Tool.run(["evidence", "--check", folder + "/records/1"] + root + lists)
        #expect(given.status == 3)
        // The proof of one record carries them.
        let proven = try Tool.run(
            [
                "audit", source, "--prove", "number:1", "--database", folder + "/audit.sqlite", "--output",
                workplace.file("p"),
            ]
                + root + lists)
        #expect(proven.status == 0)
        #expect(try Tool.run(["evidence", "--check", workplace.file("p")] + root).status == 3)
    }
}

extension Sequence<String> {
    /// Returns pairs of an option and its value, from a sequence in which the value comes first.
    fileprivate func chunked() -> [[String]] {
        let all = Array(self)
        return stride(from: 0, to: all.count - 1, by: 2).map { [all[$0 + 1], all[$0]] }
    }
}
