import Foundation
import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process of `appreceipt audit`: streams, signals, full disks, exit status.
@Suite(.serialized)
struct CommandTests {
    let workplace: Workplace
    let root: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    /// Checks that each line is answered at once. If no field is named `receipt`, the first record with one
    /// receipt determines the field.
    @Test(arguments: [
        ("receipt", false), ("blob", false), ("receipt", true), ("blob", true),
    ])
    func eachLineIsAnsweredBeforeTheNext(field: String, isCSV: Bool) throws {
        let tool = try Tool(
            ["audit", "-", "--ndjson", "-", "--root", root] + (isCSV ? ["--format", "csv"] : []))
        defer { tool.process.terminate() }
        for (index, line) in try Forged.lines(3).enumerated() {
            var text = String(decoding: line, as: UTF8.self).replacing("\"receipt\":", with: "\"\(field)\":")
            if isCSV {
                let receipt = try #require(text.firstMatch(of: /"(?:receipt|blob)":"([^"]*)"/)?.1)
                text = (index == 0 ? "id,\(field)\n" : "") + "receipt-\(index),\(receipt)\n"
            }
            try tool.input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            var answer = Data()
            while answer.last != 0x0A {
                // The test must fail instead of waiting for an answer that never arrives.
                var wait = pollfd(
                    fd: tool.output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
                try #require(unsafe poll(&wait, 1, 60_000) == 1)
                let part = tool.output.fileHandleForReading.availableData
                try #require(!part.isEmpty)
                answer += part
            }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("{\"id\":\"receipt-\(index)\","))
        }
        try tool.input.fileHandleForWriting.close()
        tool.process.waitUntilExit()
        #expect(tool.process.terminationStatus == 0 || tool.process.terminationStatus == 1)
    }

    @Test func exitStatusReflectsTheResults() throws {
        let genuine = try Forged.line("a", ReceiptContent())
        let refused = Array(#"{"id":"b","receipt":"MAT7"}"#.utf8) + [0x0A]
        #expect(try Tool.run("audit", "-", "--root", root, stdin: genuine).status == 0)
        #expect(try Tool.run("audit", "-", "--root", root, stdin: genuine + refused).status == 1)
        let unreadable = try Tool.run("audit", "-", "--root", root, stdin: refused + Array("x\n".utf8))
        #expect(unreadable.status == 2)
        #expect(
            unreadable.messages
                == "error: 1 of 2 records are unreadable; first: standard input, record 2: "
                + "at byte 0: not JSON: unexpected 'x'\n")
        let missing = try Tool.run("audit", workplace.file("no.ndjson"), "--root", root)
        #expect(missing.status == 2)
        #expect(missing.output.isEmpty)
        #expect(missing.messages == "error: \(workplace.file("no.ndjson")): No such file or directory\n")
        for wrong in [
            ["--resume"], ["--jobs", "0"],
            ["--output", "o", "--ndjson", "-", "--resume"],
        ] {
            let tool = try Tool(["audit", "-"] + wrong)
            try tool.input.fileHandleForWriting.close()
            tool.process.waitUntilExit()
            #expect(tool.process.terminationStatus == 64, "\(wrong)")
        }
    }

    /// Checks that a run with a database prints a summary, while a filter prints none.
    @Test func databaseRunPrintsASummary() throws {
        let refused = Array("{\"id\":\"b\",\"receipt\":\"MAT7\"}\n".utf8)
        let lines = try Forged.line("a", ReceiptContent()) + refused + refused
        let input = try workplace.write(lines, to: "in.ndjson")
        #expect(try Tool.run("audit", input, "--root", root).messages == "")
        let summary = "appreceipt: 3 records: 1 GENUINE, BUT NOT APPLE'S, 2 refused, 0 unreadable\n"
        let told = try Tool.run("audit", input, "--root", root, "--output", workplace.file("out.sqlite"))
            .messages
        let skipped = "appreceipt: 3 checks skipped: no customer column (--subject-field)\n"
        #expect(told.hasPrefix(skipped + summary + "appreceipt: no findings; "))
        #expect(
            told.contains(
                """
                appreceipt: skipped because no genuine receipt has a subject, the account that presented it \
                (--subject-field): One receipt presented by several subjects; One original transaction under several \
                subjects; Several introductory offers of one subject in a group\n
                """))
        let toFile = try Tool.run("audit", input, "--root", root, "--ndjson", workplace.file("out.ndjson"))
        // The root is the same in every output.
        let root = try #require(told.firstMatch(of: /appreceipt: Merkle root of the audit: [0-9a-f]{64}\n/)).0
        #expect(
            toFile.messages
                == summary + "appreceipt: findings: not checked; use --output or --report\n"
                + root
        )
    }

    /// Checks that the eligibility of a refused receipt is null, and that an unreadable line has no such
    /// member.
    @Test func aRefusedReceiptHasNoEligibility() throws {
        let catalog = try workplace.write(Array(DatabaseTests.catalog.utf8), to: "catalog.json")
        let lines =
            try Forged.line("a", ReceiptContent()) + Array("{\"id\":\"b\",\"receipt\":\"MAT7\"}\nx\n".utf8)
        let answer = try Tool.run(
            "audit", "-", "--root", root, "--catalog", catalog, "--as-of", "2026-01-01T00:00:00Z",
            stdin: lines)
        let answers = answer.output.split(separator: "\n")
        try #require(answers.count == 3)
        #expect(answers[0].contains(#""eligibility":[{"#))
        #expect(answers[1].hasSuffix(#","eligibility":null}"#))
        #expect(!answers[2].contains("eligibility"))
        #expect(try !Tool.run("audit", "-", "--root", root, stdin: lines).output.contains("eligibility"))
    }

    @Test func existingOutputIsNotOverwritten() throws {
        let input = try workplace.write(try Forged.line("a", ReceiptContent()), to: "in.ndjson")
        let output = try workplace.write(Array("mine".utf8), to: "out.ndjson")
        let answer = try Tool.run("audit", input, "--ndjson", output, "--root", root)
        #expect(answer.status == 2)
        #expect(
            answer.messages
                == "error: refusing to overwrite \(output); choose another path or delete it\n")
        #expect(try workplace.read("out.ndjson") == Array("mine".utf8))
    }

    /// Checks that a write error is reported at the start, and that a failed run leaves no file.
    @Test func unwritableOutputIsReportedFirst() throws {
        let input = try workplace.write(try Forged.line("a", ReceiptContent()), to: "in.ndjson")
        let there = try workplace.write([], to: "there")
        let (output, nowhere) = (workplace.file("out.sqlite"), workplace.file("no/file"))
        for (arguments, message) in [
            ([input, workplace.file("no")], "\(workplace.file("no")): No such file or directory"),
            ([input, "--ndjson", there], "refusing to overwrite \(there); choose another path or delete it"),
            ([input, "--report", there], "refusing to overwrite \(there); choose another path or delete it"),
            ([input, "--report", nowhere], "\(nowhere): the folder \(workplace.file("no")) does not exist"),
        ] {
            let tool = try Tool(["audit", "--output", output, "--root", root] + arguments)
            let messages = try tool.messages.fileHandleForReading.readToEnd() ?? Data()
            #expect(String(decoding: messages, as: UTF8.self) == "error: \(message)\n")
            #expect(!FileManager.default.fileExists(atPath: output), "\(arguments)")
        }
        let unopened = try Tool.run("audit", input, "--output", nowhere, "--root", root)
        #expect(unopened.messages == "error: \(nowhere): the folder \(workplace.file("no")) does not exist\n")
        let folder = try Tool.run("audit", input, "--output", workplace.path, "--root", root)
        #expect(folder.messages == "error: \(workplace.path): Is a directory\n")
        let missing = try Tool.run("audit", "--replay", output, input, "--root", root)
        #expect(missing.status == 2)
        #expect(missing.messages == "error: \(output): No such file or directory\n")
    }

    /// Checks that a process without free file descriptors fails with a message, and that no file is reported
    /// as unreadable.
    @Test func lackOfFileDescriptorsIsReported() throws {
        for folder in ["in/a", "in/a/b", "in/c"] {
            for name in ["1", "2"] {
                try workplace.write(try Forged.receipt(ReceiptContent()), to: "\(folder)/\(name).der")
            }
        }
        var statuses: Set<Int32> = []
        for limit in 3...16 {
            let lines = workplace.file("lines-\(limit)")
            let script =
                "ulimit -n \(limit); exec \(BuiltTool.path) audit in --root \(root) --jobs 1 --ndjson \(lines)"
            let process = try EndedProcess(["bash", "-c", script], in: workplace.path)
            statuses.insert(process.status)
            let written = String(decoding: (try? workplace.read("lines-\(limit)")) ?? [], as: UTF8.self)
            #expect(!written.contains("unreadable"), "\(limit)")
            let summary = "appreceipt: 6 records: 6 GENUINE, BUT NOT APPLE'S, 0 refused, 0 unreadable\n"
            #expect(!process.messages.isEmpty, "\(limit)")
            #expect((process.status == 0) == process.messages.contains(summary), "\(limit)")
        }
        #expect(statuses.contains(0))
        #expect(statuses.contains(2))
    }

    @Test func fullDiskEndsTheStream() throws {
        // Standard input stays open. The tool must not wait for it.
        let tool = try Tool(["audit", "-", "--root", root], output: "/dev/full")
        try tool.input.fileHandleForWriting.write(contentsOf: try Forged.line("a", ReceiptContent()))
        tool.process.waitUntilExit()
        #expect(tool.process.terminationStatus == 2)
        let message = try tool.messages.fileHandleForReading.readToEnd() ?? Data()
        #expect(
            String(decoding: message, as: UTF8.self)
                == "error: standard output: No space left on device\n")
    }

    /// Checks a database on a full disk, which a limit on file sizes simulates without special rights.
    @Test func databaseOnAFullDiskStaysValid() throws {
        let input = try workplace.write(try Forged.lines(300).joined(), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let arguments =
            "audit \(input) --output \(output) --root \(root) --as-of 2026-01-01T00:00:00Z --records-per-commit 20"
        let script = "trap '' XFSZ; ulimit -f 200; exec \(BuiltTool.path) \(arguments)"
        let process = try EndedProcess(["bash", "-c", script])
        #expect(process.status == 2)
        #expect(process.messages.hasPrefix("error: \(output): "))
        #expect(process.messages.split(separator: "\n").count == 1)
        #expect(
            try Tool.run(
                "audit", input, "--output", output, "--root", root, "--as-of", "2026-01-01T00:00:00Z",
                "--resume"
            ).status == 1)
        let whole = workplace.file("whole.sqlite")
        _ = try Tool.run("audit", input, "--output", whole, "--root", root, "--as-of", "2026-01-01T00:00:00Z")
        #expect(try dump(output) == dump(whole))
    }

    /// Checks runs killed at random sizes of the output, or while they create indexes and findings. No record
    /// is lost or duplicated. Tests/Hardening/hosts kills runs at single writes.
    @Test func resumedRunEqualsAnUndisturbedOne() throws {
        let distinct = try Forged.lines(120)
        let records = (0..<8).flatMap { round in
            distinct.map {
                Array(
                    String(decoding: $0, as: UTF8.self).replacingOccurrences(
                        of: "receipt-", with: "r\(round)-"
                    ).utf8)
            }
        }
        let input = try workplace.write(records.joined(), to: "in.ndjson")
        let catalog = try workplace.write(Array(DatabaseTests.catalog.utf8), to: "catalog.json")
        func arguments(_ name: String) -> [String] {
            [
                "audit", input, "--output", workplace.file(name + ".sqlite"), "--ndjson",
                workplace.file(name + ".ndjson"),
                "--catalog", catalog, "--root", root, "--as-of", "2026-01-01T00:00:00Z",
                "--records-per-commit", "40",
            ]
        }
        let undisturbed = try Tool(arguments("whole"))
        undisturbed.process.waitUntilExit()
        #expect(undisturbed.process.terminationStatus == 1)
        let total = try workplace.read("whole.ndjson").count

        var generator = SplitMix64(seed: 11)
        for round in 0..<10 {
            let tool = try Tool(arguments("killed") + ["--resume"])
            let size = {
                (try? FileManager.default.attributesOfItem(atPath: workplace.file("killed.ndjson"))[.size]
                    as? Int) ?? 0
            }
            let goal = round < 6 ? size() + Int.random(in: 0..<total / 6, using: &generator) : total
            while tool.process.isRunning, size() < goal { usleep(200) }
            if goal == total { usleep(UInt32.random(in: 0..<20_000, using: &generator)) }
            kill(tool.process.processIdentifier, SIGKILL)
            tool.process.waitUntilExit()
        }
        let last = try Tool(arguments("killed") + ["--resume"])
        last.process.waitUntilExit()
        #expect(last.process.terminationStatus == 1)
        #expect(try dump(workplace.file("killed.sqlite")) == dump(workplace.file("whole.sqlite")))
        #expect(try workplace.read("killed.ndjson") == workplace.read("whole.ndjson"))
    }
}
