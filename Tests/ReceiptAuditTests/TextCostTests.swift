import AppReceipt
import Foundation
import TestSupport
import Testing

@testable import RecordSources

/// The time to read a source is proportional to its size, whatever characters its names have.
struct TextCostTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Returns the processor time of this thread in nanoseconds to read a source, the minimum of three runs.
    private func time(_ path: String) throws -> UInt64 { try Cost.time { try read(path) } }

    private func read(_ path: String) throws {
        let limits = ReceiptLimits()
        let plan = try SourcePlan([path], SourceSettings(), limits: limits)
        let sources = Sources(plan, filter: PathFilter(), limits: limits, ahead: ReadAhead())
        while try sources.next() != nil {}
    }

    /// The name and the contents of a source. `text` makes text of a number of bytes.
    struct Row: Sendable {
        let name: String
        let make: @Sendable (_ text: (Int) -> String) -> [UInt8]

        init(_ name: String, _ make: @escaping @Sendable (_ text: (Int) -> String) -> [UInt8]) {
            (self.name, self.make) = (name, make)
        }
    }

    /// Checks that marks take less than 20 times as long as letters of the same size. Quadratic work takes
    /// hundreds of times as long. Measures again if another process slowed the marks.
    @Test(
        arguments: [
            // columns of CSV
            Row(
                "a.csv",
                { text in
                    Array("receipt,subject\(text(60_000)),id\(text(60_000))\nMAT7,a,1\nMAT7,b,2\n".utf8)
                }
            ),
            // a table and columns of an SQL dump, and words that are not keywords
            Row(
                "a.sql",
                { text in
                    let rows = Array(repeating: "('MAT7','1')", count: 1000).joined(separator: ",")
                    let table = "\"t\(text(1000))\""
                    return Array(
                        """
                        CREATE TABLE \(table) (receipt text, "c\(text(1000))" text);
                        INSERT INTO \(table) VALUES \(rows);

                        """.utf8)
                }
            ),
            Row(
                "b.sql",
                { text in
                    Array(
                        (0..<60).map { _ in "INSERT\(text(1000));\nINSERT I\(text(1000));\n" }.joined().utf8)
                }
            ),
            // members of JSON
            Row(
                "a.ndjson",
                { text in
                    let leaves = (0..<500).map { "\"\($0)\":\"x\"" }.joined(separator: ",")
                    return Array("{\"n\(text(1000))\":{\(leaves)},\"receipt\":\"MAT7\"}\n".utf8)
                }
            ),
            // files of an archive
            Row(
                "a.tar",
                { text in
                    var tar = TarWriter()
                    for index in 0..<8 {
                        let path = "a\(text(8000))/b\(text(4000))\(index)"
                        tar.add("pax", TarWriter.paxLine("path", path), type: "x")
                        tar.add("a", Array("MAT7".utf8))
                        tar.add("pax", TarWriter.paxLine("GNU\(text(16_000))", "1"), type: "x")
                        tar.add("b\(index)", Array("MAT7".utf8))
                    }
                    tar.end()
                    return tar.bytes
                }
            ),
        ])
    func timeIsLinear(row: Row) throws {
        let marks = try workplace.write(row.make(Cost.marks), to: "marks/\(row.name)")
        let letters = try workplace.write(row.make(Cost.letters), to: "letters/\(row.name)")
        let isLinear = try (0..<5).contains { _ in
            try time(marks) < 20 * max(try time(letters), 100_000)
        }
        #expect(isLinear)
    }

    /// Checks that long names do not hide the subject, and that canonically equivalent names differ.
    @Test func namesAreComparedByBytes() {
        #expect(SubjectNames.find(in: ["user_id\(Cost.marks(60_000))", "user_id"]) == "user_id")
        #expect(SubjectNames.find(in: ["user_id\u{E9}", "user_ide\u{301}"]) == "user_id\u{E9}")
    }
}
