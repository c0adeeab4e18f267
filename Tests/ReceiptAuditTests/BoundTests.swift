import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Limits on memory, messages and batches, whatever the input.
@Suite(.serialized)
struct BoundTests {
    let workplace: Workplace
    let root: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    private static let end = #"{"id":"end","receipt":"MAT7"}"# + "\n"

    /// Inputs that take much memory: name, format, and the concatenated texts, each with its number of
    /// repetitions.
    static let inputs: [(String, String, [(text: String, count: Int)])] = [
        ("blank lines", "ndjson", [("\n", 800_000), (end, 1)]),
        ("short lines", "ndjson", [("x\n", 40_000), (end, 1)]),
        ("members", "ndjson", [("{", 1), (#""MEMBER":0,"#, 70_000), ("\"a\":0}\n", 1), (end, 1)]),
        (
            "objects", "ndjson",
            [(#"{"signedTransactions":["# + String(repeating: "0,", count: 63) + "0]}\n", 512), (end, 1)]
        ),
        ("nested members", "ndjson", [(#"{"a":["#, 60), ("\"a\",", 400_000), ("\n", 1), (end, 1)]),
        (
            "a long id", "ndjson",
            [(#"{"id":""#, 1), ("&", 3_000_000), (#"","receipt":"MAT7"}"# + "\n", 1), (end, 1)]
        ),
        (
            "escaped text", "ndjson",
            [(#"{"id":"a","receipt":""#, 1), (#"\/"#, 1_000_000), ("\"}\n", 1), (end, 1)]
        ),
        ("fields", "csv", [("id,receipt\n", 1), (",", 3_000_000), ("\nend,MAT7\n", 1)]),
        ("quotes", "csv", [("id,receipt\n", 1), ("a,\"\"\"\n", 40_000), ("\nend,MAT7\n", 1)]),
        ("quotes as text", "csv", [("id\treceipt\n", 1), ("a\"\t\"\n", 40_000), ("\nend\tMAT7\n", 1)]),
        ("empty files", "tar", [("MEMBER", 2_048)]),
    ]

    #if os(Linux)
        /// Checks the peak of resident memory after the tool has answered all records and waits for more.
        @Test func memoryIsIndependentOfTheInput() throws {
            let jobs = 8
            for (name, format, parts) in Self.inputs {
                let tool = try Tool([
                    "audit", "-", "--root", root, "--format", format, "--jobs", "\(jobs)", "--ndjson",
                    workplace.file("\(name)-\(jobs)"),
                ])
                let answers = workplace.file("\(name)-\(jobs)")
                for (text, count) in parts {
                    let numbered = format == "tar" || text.contains("MEMBER")
                    let all =
                        numbered
                        ? (1...count).map {
                            format == "tar" ? Self.member($0) : text.replacing("MEMBER", with: "m\($0)")
                        }
                        .joined() : String(repeating: text, count: count)
                    try tool.input.fileHandleForWriting.write(contentsOf: Array(all.utf8))
                }
                let deadline = ContinuousClock.now + .seconds(300)
                let expected = format == "tar" ? "\"f2048\"" : "\"end\""
                while ContinuousClock.now < deadline, tool.process.isRunning {
                    // The tool creates the file after it has detected the format.
                    let text = (try? String(contentsOfFile: answers, encoding: .utf8)) ?? ""
                    if text.suffix(400).contains(expected) { break }
                    usleep(20_000)
                }
                let status = try String(
                    contentsOfFile: "/proc/\(tool.process.processIdentifier)/status", encoding: .utf8)
                let peak = try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/)?.1)
                try tool.input.fileHandleForWriting.close()
                tool.process.waitUntilExit()
                print("\(name), \(jobs) threads: \((Int(peak) ?? .max) >> 10) MiB")
                #expect((Int(peak) ?? .max) >> 10 < 96, "\(name), \(jobs) threads")
            }
        }
    #endif

    private static func member(_ number: Int) -> String {
        var tar = TarWriter()
        tar.add("f\(number)")
        return String(decoding: tar.bytes, as: UTF8.self)
    }

    /// Checks that batches are small. The answer to a record may be many times its size.
    @Test func batchesAreBoundedByCount() throws {
        let lines = try workplace.write(String(repeating: "x\n", count: 1000).utf8, to: "in.ndjson")
        let source = TextSource(try ByteStream(path: lines), source: lines, format: .ndjson, limit: 1000)
        var counts: [Int] = []
        while let batch = try source.next() {
            counts.append(batch.records.count)
            #expect(batch.places == Array(batch.places[0]..<batch.places[0] + batch.records.count))
            #expect(batch.bytes.count == 2 * batch.records.count)
        }
        #expect(counts == [256, 256, 256, 232])
    }

    @Test func readingWaitsForWriting() {
        let ahead = ReadAhead(jobs: 4)
        // A record above the limit is read when the tool holds no other.
        ahead.wait(for: 1 << 30)
        ahead.hold(1 << 30)
        let waited = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            ahead.wait(for: 1)
            waited.signal()
        }
        #expect(waited.wait(timeout: .now() + 0.1) == .timedOut)
        ahead.release(1 << 30)
        #expect(waited.wait(timeout: .now() + 60) == .success)
        ahead.hold(1 << 30)
        ahead.end()
        ahead.wait(for: 1)
        #expect(ReadAhead(jobs: 1024).batchBytes < ReadAhead(jobs: 1).batchBytes)
    }

    // MARK: - Messages

    private func message(_ text: String, _ name: String) throws -> (messages: String, output: String) {
        let answer = try Tool.run("audit", workplace.write(text.utf8, to: name), "--root", root)
        #expect(answer.status == 2)
        return (answer.messages, answer.output)
    }

    /// Checks that the limit on a line's length does not depend on the number of threads, and that a long
    /// blank line is reported.
    @Test(arguments: ["\n", "\r\n", ""], [1, 64])
    func lineLimitIsTheSameForAnyNumberOfThreads(end: String, jobs: Int) throws {
        let limit = 1000
        for (count, text) in [(999, ""), (1000, ""), (1001, ""), (1000, "{}"), (1001, "{}")] {
            let blanks = count - end.utf8.count + 1 - text.utf8.count
            let line = text + String(repeating: " ", count: blanks)
            let path = try workplace.write(Array("7\n\(line)\(end)".utf8), to: "long-\(jobs)-\(count)")
            let source = TextSource(
                try ByteStream(path: path), source: path, format: .ndjson, limit: limit,
                ahead: ReadAhead(jobs: jobs))
            var records: [RawRecord] = []
            while let batch = try source.next() { records += batch.records }
            let isTooLong = line.utf8.count + end.utf8.count - (end.isEmpty ? 0 : 1) > limit
            #expect(records.count == (isTooLong || !text.isEmpty ? 2 : 1))
            guard isTooLong else { continue }
            guard case .refused(nil, let refusal) = records[1] else {
                Issue.record("\(count) bytes: \(records[1])")
                continue
            }
            #expect(refusal.message == "longer than the limit of a record")
        }
    }

    @Test(arguments: [
        (String(repeating: "x", count: 2000), "more than the limit of 1024 bytes"),
        (String(repeating: "y", count: 1000), "not JSON"),
    ])
    func longMemberNamesAreNotReported(name: String, expected: String) throws {
        let levels = String(repeating: "{\"\(name)\":", count: 30)
        let (messages, output) = try message("{\"id\":1,\"more\":\(levels)\n", "in.ndjson")
        #expect(messages.contains(name.count > 1024 ? expected : "1 of 1 records"))
        #expect(output.utf8.count < 3000)
        #expect(messages.utf8.count < 3000)
    }

    @Test func headerWithManyColumnsIsReportedInOneLine() throws {
        let many = try message(String(repeating: "column,", count: 10_000) + "\n", "many.csv").messages
        #expect(many.hasSuffix("column and 9981 more\n"))
        #expect(many.utf8.count < 500)
        let tooMany = try message(String(repeating: ",", count: 100_000) + "\n", "more.csv").messages
        #expect(tooMany.hasSuffix("more.csv, line 1: 100001 columns, more than the limit of 16384\n"))
        let long = try message(String(repeating: "x", count: 1_000_000) + "\n", "long.csv").messages
        #expect(long.hasSuffix("… (1000000 bytes)\n"))
        #expect(long.utf8.count < 1000)
    }

    @Test func rowWithManyFieldsIsReported() throws {
        let text = "id,receipt\n" + String(repeating: ",", count: 100_000) + "\n"
        #expect(try message(text, "in.csv").output.contains("100001 fields, expected 2"))
    }

    /// Checks that control characters and directional marks are escaped. Terminals treat C1 controls as
    /// escape sequences.
    @Test func linesContainNoControlCharacters() throws {
        let marks = "\u{80}\u{9B}\u{9F}\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}\u{7F}\u{1B}"
        let kept = "\u{A0}é\u{61B}\u{200D}\u{2029}\u{202F}\u{2065}\u{206A}€🍎"
        let receipt = Data(try Forged.receipt(ReceiptContent())).base64EncodedString()
        let line = try JSONSerialization.data(withJSONObject: ["id": marks + kept, "receipt": receipt])
        let output = try Tool.run("audit", "-", "--root", root, stdin: Array(line)).output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(object["id"] as? String == marks + kept)
        #expect(marks.unicodeScalars.allSatisfy { !output.unicodeScalars.contains($0) })
        #expect(kept.unicodeScalars.allSatisfy { output.unicodeScalars.contains($0) })
        #expect(output.contains(#"\u0080\u009b\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u007f\u001b"#))
    }
}
