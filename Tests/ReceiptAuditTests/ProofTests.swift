import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The options `audit --prove` and `audit --evidence`, whose output a third party checks with a shell and
/// openssl.
@Suite(.serialized)
struct ProofTests {
    let workplace: Workplace
    let root: String
    let input: String
    let database: String

    /// The forged input, created once.
    private static let lines = Result<[UInt8], any Error> {
        let receipt = FindingTests.content(FindingTests.offer("101", original: "101"))
        let shared = try ["anna", "bert"].map { (name: String) in
            try Forged.line("of \(name)", receipt, subject: name)
        }
        let genuine = String(decoding: try Forged.line("3", ReceiptContent()), as: UTF8.self)
        let others = [
            "not JSON\n", #"{"id":"absent","receipt":null}"# + "\n",
            #"{"id":"é\u0007\"","receipt":"MAT7"}"# + "\n",
            genuine.replacing("\"receipt\":\"", with: "\"receipt\":\"data:;base64,"),
        ]
        let transaction = try ForgedJWS.text(.transaction)
        let notification = try ForgedJWS.text(
            .notification(["signedTransactionInfo": "\"\(transaction)\""]))
        let signed = [
            "{\"id\":\"n\",\"receipt\":\"\(notification)\"}\n",
            "{\"data\":{\"signedTransactionInfo\":\"\(transaction)\"}}\n",
        ]
        let text: String = (others + signed).joined()
        return try Array(Forged.lines(8).joined()) + Array(shared.joined()) + Array(text.utf8)
    }

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
        input = try workplace.write(try Self.lines.get(), to: "in.ndjson")
        database = workplace.file("out.sqlite")
        let audited = try audit("--output", database)
        #expect(audited.status == 2)
        #expect(audited.messages.contains("appreceipt: Merkle root of the audit: "))
    }

    private func audit(_ arguments: String...) throws -> EndedProcess {
        try Tool.run(["audit", input, "--root", root, "--as-of", "2026-01-01T00:00:00Z"] + arguments)
    }

    private func prove(
        _ record: String, to folder: String = UUID().uuidString
    ) throws -> EndedProcess {
        try audit("--prove", record, "--database", database, "--output", workplace.file(folder))
    }

    private func shell(_ command: String, in folder: String) throws -> EndedProcess {
        try EndedProcess(["sh", "-c", "exec 2>&1\n" + command], in: workplace.file(folder))
    }

    private func rootHash() throws -> String {
        try #require(
            try Connection(path: database).prepare("SELECT root FROM runs").firstValue())
    }

    /// Checks proofs of genuine and refused records, of a record in a data URI, and of records without signed
    /// objects.
    @Test func everyRecordIsProven() throws {
        let hash = try rootHash()
        let records = try withDatabase(database) {
            try $0.prepare("SELECT id, status, sha256 FROM receipts ORDER BY id").rows()
        }
        #expect(records.count == 17)
        // The first record, a refused one, a wrapped one, a notification with its objects, and a member of a
        // record.
        for number in [1, 11, 12, 13, 14, 15, 16, 17] {
            let proven = try prove("number:\(number)", to: "\(number)")
            if [11, 12].contains(number) {
                #expect(proven.status == 2)
                #expect(
                    proven.messages.hasSuffix(
                        "error: \(database): record \(number) contains no readable signed object\n"
                    ))
                #expect(!FileManager.default.fileExists(atPath: workplace.file("\(number)")))
                continue
            }
            #expect(proven.status == 0, "\(proven)")
            #expect(proven.output.hasPrefix("record \(number) of 17: \(workplace.file("\(number)")) "))
            #expect(proven.messages.hasSuffix("appreceipt: Merkle root of the audit: \(hash)\n"))
            let place = try shell("cat inclusion/place", in: "\(number)")
            #expect(place.output == "\(number - 1) 17\n")
            let checked = try shell("sh check.sh", in: "\(number)")
            let own = try Tool.run("evidence", "--check", workplace.file("\(number)"), "--root", root)
            #expect(own.output.contains(", record \(number) of 17 under Merkle root \(hash)\n"), "\(own)")
            #expect(own.status == 3 || own.status == 4)
            // The script cannot parse every input format.
            #expect(checked.status == own.status || checked.status == 2, "\(checked.output)")
        }
    }

    /// Checks proofs of table rows with identifiers that are not JSON, and of objects in a file of a folder.
    @Test func everyFormatIsProven() throws {
        let receipt = try Forged.line("1", ReceiptContent())
        let text = try #require(
            String(decoding: receipt, as: UTF8.self).split(separator: "\"").dropLast().last)
        try workplace.write(Array("id,receipt\nrow-1,\(text)\n".utf8), to: "t.csv")
        let transaction = try ForgedJWS.text(.transaction)
        let notification = try ForgedJWS.text(
            .notification(["signedTransactionInfo": "\"\(transaction)\""]))
        try workplace.write(Array("{\"signedPayload\":\"\(notification)\"}".utf8), to: "folder/n.json")
        for (source, count) in [("t.csv", 1), ("folder", 2)] {
            let (source, database) = (workplace.file(source), workplace.file("\(source).sqlite"))
            let options = ["--root", root, "--as-of", "2026-01-01T00:00:00Z"]
            #expect(try Tool.run(["audit", source, "--output", database] + options).status == 0)
            for number in 1...count {
                let folder = workplace.file(UUID().uuidString)
                let proven = try Tool.run(
                    [
                        "audit", source, "--prove", "number:\(number)", "--database", database, "--output",
                        folder,
                    ]
                        + options)
                #expect(proven.status == 0, "\(proven)")
                let own = try Tool.run("evidence", "--check", folder, "--root", root)
                #expect(own.status == 3, "\(own)")
                #expect(own.output.contains("record \(number) of \(count)"), "\(own)")
                let name = String(folder.split(separator: "/").last ?? "")
                // The script cannot extract a JWS from another one.
                let isNested = source.hasSuffix("folder") && number == 2
                #expect(try shell("sh check.sh", in: name).status == (isNested ? 2 : 3))
            }
        }
    }

    /// Checks a member that is not a JWS by itself and is refused. No proof is written, because it could not
    /// be verified.
    @Test(arguments: ["x", "\(String(repeating: "e", count: 20)).e.e\\n"])
    func memberThatIsNotAnObjectIsNotProven(
        text: String
    ) throws {
        let source = try workplace.write(
            Array("{\"signedTransactions\":[\"\(text)\"]}\n".utf8), to: "x.ndjson")
        let options = ["--root", root, "--as-of", "2026-01-01T00:00:00Z"]
        let database = workplace.file("x.sqlite")
        #expect(try Tool.run(["audit", source, "--output", database] + options).status == 1)
        let folder = workplace.file("x")
        let proven = try Tool.run(
            ["audit", source, "--prove", "number:1", "--database", database, "--output", folder] + options)
        if proven.status == 0 {
            #expect(try Tool.run("evidence", "--check", folder, "--root", root).status == 4)
        } else {
            #expect(proven.status == 2)
            #expect(proven.messages.contains("record 1 contains no readable signed object"))
        }
    }

    /// Checks that the root covers the subject, if two subjects presented the same receipt.
    @Test(arguments: [
        "sed -i s/anna/otto/g verdict.json", "cp ../bert/inclusion/* inclusion",
        "sed -i s/anna/otto/g verdict.json inclusion/leaf",
    ])
    func proofOfAnotherRecordFails(change: String) throws {
        #expect(try prove("of anna", to: "anna").status == 0)
        #expect(try prove("of bert", to: "bert").status == 0)
        let changed = try shell(
            "\(change) && sha256sum $(cut -c 67- SHA256SUMS) > sums && mv sums SHA256SUMS", in: "anna")
        #expect(changed.status == 0, "\(changed)")
        let own = try Tool.run("evidence", "--check", workplace.file("anna"), "--root", root)
        #expect(own.status == 1, "\(own)")
    }

    /// Checks that a shell can compute the leaf of a record from the lines.
    @Test func shellCanComputeALeaf() throws {
        #expect(try prove("number:2", to: "p").status == 0)
        #expect(try audit("--ndjson", workplace.file("lines")).status == 2)
        let made = try shell(
            #"""
            { printf 'appreceipt record 2\nsource 1\nplace 2\nreceived base64\n'
              sed -n 2p ../lines | sed 's/,"signature":.*/}/'
            } | cmp - inclusion/leaf
            """#, in: "p")
        #expect(made.status == 0, "\(made.output)")
    }

    /// Checks names of records: numbers, identifiers, and sources with places.
    @Test func recordsHaveNames() throws {
        for (name, number) in [
            ("of anna", 9), ("\(input):9", 9), ("13", 13), ("id:3", 14),
        ] {
            let proven = try prove(name)
            #expect(proven.output.hasPrefix("record \(number) of 17: "), "\(name): \(proven.messages)")
        }
        for (name, message) in [
            ("3", "several records match 3: number:3, number:14"),
            ("n", "several records match n: number:15, number:16"),
            ("nobody", "contains no record nobody"),
            ("number:18", "contains no record number:18"), ("number:-1", "contains no record number:-1"),
            ("number:of anna", "contains no record number:of anna"),
            ("\(input):17", "contains no record \(input):17"),
            ("id:9", "contains no record id:9"), ("", "contains no record "),
        ] {
            let proven = try prove(name)
            #expect(proven.status == 2)
            #expect(proven.output.isEmpty)
            #expect(proven.messages.hasSuffix("error: \(database): \(message)\n"), "\(proven.messages)")
        }
    }

    /// Checks that an untrusted database cannot prove anything that its root and the sources do not contain.
    @Test(arguments: [
        (
            "UPDATE receipts SET leaf = zeroblob(32) WHERE id = 5",
            "receipts 2: does not lead to the Merkle root"
        ),
        (
            "UPDATE receipts SET leaf = zeroblob(31) WHERE id = 5",
            "receipts 5: missing row or leaf"
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM receipts WHERE id = 5",
            "receipts 5: missing row or leaf"
        ),
        ("PRAGMA foreign_keys = OFF; DELETE FROM receipts WHERE id = 17", "receipts: missing rows"),
        (
            "UPDATE runs SET root = '\(String(repeating: "0", count: 64))'",
            "runs: root does not match tree"
        ),
        (
            "UPDATE runs SET tree = x'00'",
            "the run is not finished and has no Merkle root; continue it with --resume"
        ),
        (
            "UPDATE runs SET ended_at = NULL",
            "the run is not finished and has no Merkle root; continue it with --resume"
        ),
        (
            "UPDATE runs SET records = -1",
            "the run is not finished and has no Merkle root; continue it with --resume"
        ),
        (
            "PRAGMA foreign_keys = OFF; UPDATE receipts SET id = -3 WHERE id = 2",
            "receipts -3: invalid row"
        ),
        (
            "UPDATE receipts SET leaf = zeroblob(32) WHERE id = 2",
            "in.ndjson, record 2: the record or its result differs from the audit run"
        ),
        (
            "UPDATE receipts SET place = 3 WHERE id = 2",
            "in.ndjson, record 3: the record or its result differs from the audit run"
        ),
    ])
    func changedDatabaseProvesNothing(change: String, message: String) throws {
        try Connection(path: database).execute(change)
        let proven = try prove("id:receipt-1", to: "p")
        #expect(proven.status == 2, "\(proven.messages)")
        #expect(proven.messages.hasSuffix("\(message)\n"), "\(proven.messages)")
        #expect(!FileManager.default.fileExists(atPath: workplace.file("p")))
    }

    @Test func changedSourceProvesNothing() throws {
        var text = String(decoding: try workplace.read("in.ndjson"), as: UTF8.self)
        text.replace("\"id\":\"receipt-1\"", with: "\"id\":\"receipt-x\"")
        try workplace.write(text.utf8, to: "in.ndjson")
        #expect(
            try prove("number:2").messages.hasSuffix(
                "in.ndjson, record 2: the record or its result differs from the audit run\n"))
        #expect(try prove("number:3").status == 0)
        // The record keeps its name if the source moved.
        let moved = workplace.file("moved.ndjson")
        try FileManager.default.moveItem(atPath: input, toPath: moved)
        let proven = try Tool.run(
            "audit", moved, "--root", root, "--prove", "number:3", "--database", database, "--output",
            workplace.file("m"))
        #expect(proven.status == 0, "\(proven.messages)")
    }

    @Test func existingFilesAreNotOverwritten() throws {
        try workplace.write([1], to: "there/file")
        let proven = try prove("number:2", to: "there")
        #expect(
            proven.messages.hasSuffix(
                "error: \(workplace.file("there")): the folder is not empty; choose another path or empty it\n"
            ))
        #expect(try FileManager.default.contentsOfDirectory(atPath: workplace.file("there")) == ["file"])
        for wrong in [
            ["--prove", "1"], ["--prove", "1", "--output", "o"], ["--database", "d"],
            ["--prove", "1", "--database", "d", "--output", "o", "--ndjson", "l"],
            ["--evidence", "e", "--output", "o"], ["--evidence", "e", "--report", "r"],
            ["--evidence", "e", "--replay", "r"], ["--evidence", ""],
            ["--prove", "1", "--database", "d", "--output", "o", "--resume"],
        ] {
            #expect(try Tool.run(["audit", input] + wrong).status == 64, "\(wrong)")
        }
    }

    // MARK: - Self-contained bundle

    /// Checks that every finding has its evidence, that the manifest lists all files, and that all checks
    /// succeed.
    @Test func bundleContainsEverything() throws {
        let handed = try audit("--evidence", workplace.file("handed"))
        #expect(handed.status == 2, "\(handed.messages)")
        let hash = try rootHash()
        #expect(handed.messages.contains("appreceipt: Merkle root of the audit: \(hash)\n"))
        let sums = try shell(
            "sha256sum --check --strict --quiet SHA256SUMS && find . -type f ! -name SHA256SUMS -o -path './*/*/SHA256SUMS' | wc -l && wc -l < SHA256SUMS && sha256sum < SHA256SUMS",
            in: "handed")
        let told = sums.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(sums.status == 0, "\(sums.output)")
        try #require(told.count == 3, "\(sums.output)")
        #expect(told[0] == told[1], "\(sums.output)")
        #expect(
            handed.messages.contains(
                "appreceipt: SHA256SUMS of \(workplace.file("handed")): \(told[2].prefix(64))\n"))

        let findings = String(decoding: try workplace.read("handed/findings.ndjson"), as: UTF8.self)
        var folders: Set<String> = []
        for line in findings.split(separator: "\n") {
            let finding = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let evidence = try #require(finding["evidence"] as? [String])
            #expect(finding["missing"] as? Int == 0)
            #expect(evidence.count == finding["records"] as? Int)
            folders.formUnion(evidence)
        }
        #expect(findings.contains("\"kind\":\"shared-receipt\""))
        #expect(folders.count >= 2)
        let there = try FileManager.default.contentsOfDirectory(atPath: workplace.file("handed/records"))
        #expect(Set(there.map { "records/\($0)" }) == folders)
        for folder in folders {
            // The script cannot parse every input format.
            #expect([2, 3].contains(try shell("sh check.sh", in: "handed/\(folder)").status))
            #expect(try shell("cat inclusion/root", in: "handed/\(folder)").output == "\(hash)\n")
        }
        #expect(String(decoding: try workplace.read("handed/README.txt"), as: UTF8.self).contains(hash))

        let manifest = try #require(
            try JSONSerialization.jsonObject(with: Data(try workplace.read("handed/manifest.json")))
                as? [String: Any])
        let run = try #require(manifest["run"] as? [String: Any])
        #expect(run["root"] as? String == hash)
        #expect(run["records"] as? Int == 17)
        let inputs = try #require(manifest["inputs"] as? [[String: Any]])
        let digest = try shell("openssl dgst -sha256 -r < \(input)", in: "handed").output.prefix(64)
        try #require(inputs.count == 1)
        #expect(inputs[0]["sha256"] as? String == String(digest))
        let tool = try #require(manifest["tool"] as? [String: Any])
        let own = try shell("openssl dgst -sha256 -r < \(BuiltTool.path)", in: "handed").output.prefix(64)
        #expect(tool["sha256"] as? String == String(own))
        #expect((tool["openssl"] as? String)?.hasPrefix("OpenSSL ") == true)
        #expect(
            (manifest["outputs"] as? [[String: Any]])?.contains { $0["path"] as? String == "report.html" }
                == true)
        #expect((manifest["settings"] as? [String: String])?["as-of"] == "2026-01-01T00:00:00Z")

        // The bundle's database passes the replay.
        let replay = try Tool.run(
            "audit", input, "--root", root, "--replay", workplace.file("handed/audit.sqlite"))
        #expect(replay.output.hasSuffix("every row matches\n"))
        #expect(replay.messages.contains("Merkle root of the audit: \(hash)\n"))
    }

    /// Changes to a bundle, each with the expected message, also with recomputed sums.
    static let changes: [(change: String, told: String)] = [
        ("printf x >> report.html", "/report.html: does not match SHA256SUMS"),
        ("rm README.txt", "/README.txt: listed in SHA256SUMS but missing"),
        ("touch csv/more", "/csv/more: not listed in SHA256SUMS"),
        (
            "printf x >> lines.ndjson; sums",
            "/manifest.json: digest of lines.ndjson differs from SHA256SUMS"
        ),
        // Lines and database in which a refusal became genuine, under the original root.
        (
            "sed -i 's/\"status\":\"refused\"/\"status\":\"genuine\"/' lines.ndjson; renew lines.ndjson; sums",
            "/lines.ndjson: record 2: missing or invalid"
        ),
        (
            "sql \"UPDATE receipts SET status = 'genuine' WHERE status = 'refused'\"; renew audit.sqlite; sums",
            "/audit.sqlite: receipts 2: status differs from the line"
        ),
        (
            "sql \"UPDATE receipts SET realm = 'app_store' WHERE status = 'genuine'\"; renew audit.sqlite; sums",
            "/audit.sqlite: receipts 1: realm differs from the line"
        ),
        (
            "sql \"UPDATE receipts SET subject = 'otto' WHERE subject = 'anna'\"; renew audit.sqlite; sums",
            "/audit.sqlite: receipts 9: subject differs from the line"
        ),
        (
            "sql \"UPDATE receipts SET refusal_code = 'revoked' WHERE id = 2\"; renew audit.sqlite; sums",
            "/audit.sqlite: receipts 2: refusal_code differs from the line"
        ),
        (
            "sql \"UPDATE receipts SET bundle_id = 'com.example' WHERE id = 2\"; renew audit.sqlite; sums",
            "/audit.sqlite: receipts 2: digest or what follows it differs from the line"
        ),
        (
            "sql \"UPDATE receipts SET received = 'nothing' WHERE id = 1\"; renew audit.sqlite; sums",
            "/lines.ndjson: record 1: does not match the Merkle root"
        ),
        // A signature and values in the line of a refused record.
        (
            "sed -i '2s/}}$/},\"signature\":{},\"receipt\":{}}/' lines.ndjson; renew lines.ndjson; sums",
            "/lines.ndjson: record 2: missing or invalid"
        ),
        ("sed -i '$d' lines.ndjson; renew lines.ndjson; sums", "/lines.ndjson: record 17: missing"),
        // The evidence of one record in place of another's.
        ("mv records/9 records/8; sums", "/records/8: proves record 9, expected 8"),
        ("rm -r records/9; sums", "/findings.ndjson: based on records/9, which is missing"),
        ("rm -r records/9/inclusion; sums", "/records/9: no record number"),
        ("sed -i '$d' findings.ndjson; sums", "/manifest.json: wrong count"),
        ("sed -i '1s/{/[/' findings.ndjson; sums", "/findings.ndjson: line 1: "),
        (
            "sed -i 's/\"root\":\"[0-9a-f]*/\"root\":\"0/' manifest.json; sums",
            "/records/9: another Merkle root than in manifest.json"
        ),
        (
            "sed -i 's/\"root\":\"[0-9a-f]*/\"root\":\"0/' manifest.json; sums",
            "/audit.sqlite: another Merkle root than in manifest.json"
        ),
        ("printf x > audit.sqlite; sums", "/audit.sqlite: not an audit database"),
        // To read it, SQLite would create a file next to it.
        (
            "printf '\\002\\002' | dd of=audit.sqlite bs=1 seek=18 conv=notrunc; sums",
            "/audit.sqlite: not an audit database"
        ),
        ("printf x >> records/9/account.txt; sums", "/records/9/account.txt"),
        ("printf x >> SHA256SUMS", "/SHA256SUMS, byte "),
        // Unreadable, unexpected and missing files.
        ("printf x >> manifest.json", "/manifest.json: "), ("ln -s ../in.ndjson link", "/link: not a file"),
        ("touch .hidden", ": unexpected hidden files"),
        ("rm SHA256SUMS", "/SHA256SUMS: No such"),
    ]

    @Test func changedBundleIsDetected() throws {
        #expect(try audit("--evidence", workplace.file("handed")).status == 2)
        let hash = try rootHash()
        let checked = try Tool.run("evidence", "--check", workplace.file("handed"), "--root", root)
        // Everything is right, but under a root that is not Apple's.
        #expect(checked.status == 3, "\(checked)")
        let digest = try shell("sha256sum < SHA256SUMS", in: "handed").output.prefix(64)
        let records = try shell("grep -c . lines.ndjson", in: "handed").output.dropLast()
        let evidence = try FileManager.default.contentsOfDirectory(
            atPath: workplace.file("handed/records")
        ).count
        #expect(
            checked.output.contains(": verified under Merkle root \(hash) of \(records) records; "),
            "\(checked)")
        #expect(
            checked.output.contains(
                " files match SHA256SUMS, SHA-256 \(digest)\n"))
        let unsigned = (Int(records) ?? 0) - evidence
        #expect(unsigned > 0)
        #expect(
            checked.output.hasSuffix(
                "\n    \(unsigned) records have no evidence here: their signatures were not checked\n"),
            "\(checked)")
        // Shell functions: `sql` changes the database, `renew` updates a digest in the manifest, and `sums`
        // writes SHA256SUMS again.
        let sums =
            "sql() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(\"audit.sqlite\"); c.execute(sys.argv[1]); c.commit()' \"$@\"; }; renew() { was=$(grep \"  $1\\$\" SHA256SUMS | cut -c 1-64); sed -i \"s/$was/$(sha256sum < $1 | cut -c 1-64)/\" manifest.json; }; sums() { find . -type f ! -path ./SHA256SUMS | cut -c 3- | sort | xargs sha256sum > sums; mv sums SHA256SUMS; }"
        for (change, told) in Self.changes {
            let changed = try shell("rm -rf ../changed; cp -r . ../changed", in: "handed")
            #expect(changed.status == 0)
            _ = try shell("\(sums)\n\(change)", in: "changed")
            let folder = workplace.file("changed")
            let checked = try Tool.run("evidence", "--check", folder, "--root", root)
            #expect(checked.status != 0, "\(change): \(checked)")
            #expect(!checked.output.contains("files match SHA256SUMS"), "\(change): \(checked)")
            // A tuple's description would escape apostrophes.
            #expect(
                (checked.output + checked.messages).contains("\(folder)\(told)"), "\(change): \(checked)")
        }
        // Records that cannot be checked, of which nothing else is wrong.
        let other =
            "cd records/9; sed -i 's/\"evidence\":[0-9]*/\"evidence\":99/' request.json; cut -c 67- SHA256SUMS | xargs sha256sum > s; mv s SHA256SUMS; cd ../..; renew records/9/request.json; renew records/9/SHA256SUMS; sums"
        for change in ["mkdir records/9/x", other] {
            _ = try shell("rm -rf ../changed; cp -r . ../changed", in: "handed")
            _ = try shell("\(sums)\n\(change)", in: "changed")
            let folder = workplace.file("changed")
            let checked = try Tool.run("evidence", "--check", folder, "--root", root)
            #expect(checked.status == 2, "\(change): \(checked)")
            #expect(checked.output.contains("/records/9: not checked"), "\(change): \(checked)")
            #expect(!checked.output.contains("verified under"), "\(change): \(checked)")
            #expect(!checked.output.contains("missing"), "\(change): \(checked)")
        }
    }

    /// Checks that leaves of the database that do not lead to the root are detected.
    @Test func otherLeavesAreDetected() throws {
        let folder = workplace.file("handed")
        #expect(try audit("--evidence", folder).status == 2)
        try withDatabase("\(folder)/audit.sqlite") {
            try $0.execute("UPDATE receipts SET leaf = zeroblob(32) WHERE id = 5")
        }
        let checked = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(checked.status == 1)
        #expect(
            checked.output.contains("\(folder)/audit.sqlite: another Merkle root than in manifest.json\n"),
            "\(checked)")
    }

    /// Checks that records beyond the limit of a finding's evidence are counted.
    @Test func recordsBeyondTheLimitAreCounted() throws {
        let receipt = FindingTests.content(FindingTests.offer("101", original: "101"))
        let lines = try (0..<9).map { try Forged.line("\($0)", receipt, subject: "s\($0)") }
        try workplace.write(lines.joined(), to: "many.ndjson")
        let handed = try Tool.run(
            "audit", workplace.file("many.ndjson"), "--root", root, "--as-of", "2026-01-01T00:00:00Z",
            "--evidence", workplace.file("many"))
        #expect(handed.status == 0)
        let there = try FileManager.default.contentsOfDirectory(atPath: workplace.file("many/records"))
        #expect(there.sorted() == ["1", "2", "3", "4", "5"])
        let findings = String(decoding: try workplace.read("many/findings.ndjson"), as: UTF8.self)
            .split(separator: "\n")
        let missing = findings.count * 4
        #expect(findings.count == 2)
        #expect(
            findings.allSatisfy {
                $0.contains(
                    "\"records\":9,\"evidence\":[\"records/1\",\"records/2\",\"records/3\",\"records/4\",\"records/5\"],\"missing\":4}"
                )
            }, "\(findings)")
        #expect(
            handed.messages.contains("\(missing) references to records without evidence"),
            "\(handed.messages)")
    }

    @Test func nonEmptyFolderIsRefused() throws {
        try workplace.write([1], to: "there/file")
        let handed = try audit("--evidence", workplace.file("there"))
        #expect(handed.status == 2)
        #expect(
            handed.messages
                == "error: \(workplace.file("there")): the folder is not empty; choose another path or empty it\n"
        )
        let piped = try Tool.run("audit", "-", "--root", root, "--evidence", workplace.file("piped"))
        #expect(piped.status == 2)
        #expect(piped.messages.contains("evidence cannot be made from standard input"))
        #expect(!FileManager.default.fileExists(atPath: workplace.file("piped")))
    }

    /// Checks that --resume continues an interrupted run.
    @Test func interruptedRunIsResumed() throws {
        let folder = workplace.file("handed")
        #expect(try audit("--evidence", folder).status == 2)
        try unfinish("\(folder)/audit.sqlite")
        for name in ["manifest.json", "SHA256SUMS", "records"] {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        // What a run leaves if it is killed while it writes the report or the tables.
        for name in ["report.html", "csv/receipts.csv"] {
            try workplace.write([1], to: "handed/\(name).\(UUID().uuidString).part")
        }
        try workplace.write(repeatElement(0, count: 512), to: "handed/audit.sqlite-journal")
        let again = try audit("--evidence", folder, "--resume")
        #expect(again.status == 2, "\(again.messages)")
        #expect(again.messages.contains("Merkle root of the audit: \(try rootHash())\n"))
        #expect(try shell("sha256sum --check --strict --quiet SHA256SUMS", in: "handed").status == 0)
        let checked = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(checked.status == 3, "\(checked)")
    }

    /// Checks that a folder that cannot be read, or a link, hides no fault of the next folder.
    @Test(arguments: [
        (["missing", "a"], "missing"), (["a", "missing"], "missing"), (["empty", "a"], "empty"),
        (["a"], "a/0"),
    ])
    func everyFolderIsChecked(names: [String], unread: String) throws {
        let file = try workplace.write(try Forged.receipt(ReceiptContent()), to: "a.der")
        let made = try Tool.run("evidence", file, "--root", root, "--output", workplace.file("a"))
        #expect(made.status == 0)
        try workplace.write([1], to: "a/a.der/account.txt")
        try FileManager.default.createDirectory(
            atPath: workplace.file("empty"), withIntermediateDirectories: true)
        if unread == "a/0" {
            try FileManager.default.createSymbolicLink(
                atPath: workplace.file(unread), withDestinationPath: "a.der")
        }
        let checked = try Tool.run(["evidence", "--check", "--root", root] + names.map(workplace.file))
        #expect(checked.status == 1)
        #expect(checked.output.contains("/a/a.der/account.txt"), "\(checked.output)")
        let path = workplace.file(unread)
        #expect(checked.output.contains("\(path): not checked\n"), "\(checked.output)")
        #expect(checked.messages.hasPrefix("error: \(path)"), "\(checked.messages)")
    }
}
