import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Texts with U+0000, which must stay complete and visible for every reader of the database.
struct ZeroTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Checks every position in texts with lengths around multiples of the eight bytes that the writer scans
    /// at a time.
    @Test(
        arguments: [
            ("\0", "\u{2400}0"), ("\u{2400}", "\u{2400}\u{2400}"),
            // begins like U+2400, or differs from U+0000 by one bit
            ("\u{20AC}", "\u{20AC}"), ("\u{1}", "\u{1}"), ("\u{80}", "\u{80}"),
        ])
    func zeroIsFoundAtAnyPosition(character: String, written: String) {
        for count in 0...26 {
            for index in 0...count {
                let before = String(repeating: "a", count: index)
                let behind = String(repeating: "b", count: count - index)
                var cells = RowCells()
                cells.add(before + character + behind)
                #expect(cells.value(0) == .text(Array((before + written + behind).utf8)))
            }
        }
    }

    @Test func textWithAZeroIsWrittenVisibly() throws {
        let texts = ["a", "a\0b", "a\0c", "\0", "\u{2400}", "\u{2400}0", "\u{20AC}"]
        let lines = try texts.map { text in
            let receipt = Data(try Forged.receipt(ReceiptContent())).base64EncodedString()
            let name = text.replacingOccurrences(of: "\0", with: #"\u0000"#)
            return #"{"id":"\#(name)","receipt":"\#(receipt)","subject":"\#(name)"}"# + "\n"
        }
        let input = try workplace.write(Array(lines.joined().utf8), to: "in.ndjson")
        let audit = try Forged.audit([input])
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        let (records, summary): ([String], [String]) = try withDatabase(output) {
            (
                try $0.prepare("SELECT record FROM receipts WHERE subject IS record ORDER BY id").values(),
                try $0.prepare("SELECT summary FROM findings WHERE kind = 'shared-receipt'").values()
            )
        }
        #expect(
            records == [
                "a", "a\u{2400}0b", "a\u{2400}0c", "\u{2400}0", "\u{2400}\u{2400}", "\u{2400}\u{2400}0",
                "\u{20AC}",
            ])
        #expect(summary.count == 1)
        #expect(summary.first?.hasSuffix("by 7 subjects") == true)
        #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)
    }
}
