import AppReceipt
import Foundation
import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Resumed runs, which require the same sources.
struct ResumeTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Audits the source, and makes the run look as if it was interrupted before its end.
    private func interrupted(_ source: String) throws -> Audit {
        let audit = try Forged.audit([source])
        _ = try audit.database(workplace.file("out.sqlite"))
        try unfinish(workplace.file("out.sqlite"))
        return audit
    }

    private func message(_ audit: Audit) -> String? {
        #expect(throws: AuditError.self) {
            try audit.database(workplace.file("out.sqlite"), isResuming: true)
        }?
        .description
    }

    private func refusal(_ record: Int, of source: String) -> String {
        "\(workplace.file(source)), record \(record): not the record that the interrupted run read; "
            + "--resume needs unchanged sources"
    }

    @Test func shorterSourceIsReported() throws {
        let lines = try Forged.lines(40)
        let audit = try interrupted(workplace.write(lines.joined(), to: "in.ndjson"))
        try workplace.write(lines.prefix(30).joined(), to: "in.ndjson")
        #expect(message(audit) == "the sources have 10 records fewer than the interrupted run had read")
    }

    @Test func changedLineIsReported() throws {
        let lines =
            try Forged.lines(40) + [
                Array("not JSON\n".utf8), Array("{\"id\":\"x\",\"receipt\":\"!\"}\n".utf8),
            ]
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        let audit = try interrupted(input)
        func changed(_ index: Int, _ line: [UInt8]) throws -> String? {
            var lines = lines
            lines[index] = line
            try workplace.write(lines.joined(), to: "in.ndjson")
            return message(audit)
        }
        #expect(try changed(4, lines[5]) == refusal(5, of: "in.ndjson"))
        let renamed = String(decoding: lines[7], as: UTF8.self).replacingOccurrences(
            of: "receipt-7", with: "receipt-x")
        #expect(try changed(7, Array(renamed.utf8)) == refusal(8, of: "in.ndjson"))
        let other = try Forged.line("receipt-9", ReceiptContent(bundleID: "com.example.other"))
        #expect(try changed(9, other) == refusal(10, of: "in.ndjson"))
        #expect(try changed(40, Array("{\"id\":\"x\"}\n".utf8)) == refusal(41, of: "in.ndjson"))
        let empty = Array("{\"id\":\"x\",\"receipt\":\"\"}\n".utf8)
        #expect(try changed(41, empty) == refusal(42, of: "in.ndjson"))
        try workplace.write(lines.joined(), to: "in.ndjson")
        #expect(try audit.database(workplace.file("out.sqlite"), isResuming: true).records == 42)
        _ = try audit.database(workplace.file("whole.sqlite"))
        #expect(try dump(workplace.file("out.sqlite")) == dump(workplace.file("whole.sqlite")))
    }

    /// Checks that omitted items are compared with the sources, too.
    @Test func omittedItemsAreComparedWithTheSources() throws {
        let lines = try Forged.lines(4)
        let input = try workplace.write(lines.joined() + [0x0A], to: "in.ndjson")
        try workplace.write(try Forged.receipt(ReceiptContent()), to: "in/a.der")
        let audit = try Forged.audit([input, workplace.file("in")])
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        #expect(try audit.database(output, isResuming: true).leftOut.blankLines == 1)
        let left = "the finished run skipped 1 blank line, this one"
        try workplace.write([0x41], to: "in/.hidden")
        #expect(message(audit) == "\(left) 1 hidden file, 1 blank line; start a new audit")
        try FileManager.default.removeItem(atPath: workplace.file("in/.hidden"))
        try workplace.write(lines.joined(), to: "in.ndjson")
        #expect(message(audit) == "\(left) nothing; start a new audit")
    }

    @Test func changedFolderIsReported() throws {
        for name in ["a", "b", "c"] {
            try workplace.write(
                try Forged.receipt(ReceiptContent(bundleID: "com.example.\(name)")), to: "in/\(name).der")
        }
        let audit = try interrupted(workplace.file("in"))
        try workplace.write(try Forged.receipt(ReceiptContent(bundleID: "com.example.x")), to: "in/b.der")
        #expect(message(audit) == refusal(2, of: "in"))
        // The folder now also ends early. The message names the first different record, whichever thread
        // finds it first.
        try FileManager.default.removeItem(atPath: workplace.file("in/b.der"))
        for _ in 0..<20 { #expect(message(audit) == refusal(2, of: "in")) }
    }
}
