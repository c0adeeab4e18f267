import AppReceipt
import Foundation
import ReceiptEvidence
import ReceiptForge
import ReceiptJSON
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// The root of an audit, which covers every record and its answer in the order of the input.
struct RootTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Writes records of every kind: genuine, refused, absent, unreadable, wrapped, signed transactions, and
    /// several objects in a record.
    private func input(_ count: Int = 60) throws -> String {
        let receipt = String(decoding: try Forged.lines(1)[0], as: UTF8.self)
        let others = [
            "not JSON\n", #"{"id":"absent","receipt":null}"# + "\n",
            #"{"id":"é\u0007\"","receipt":"MAT7"}"# + "\n",
            receipt.replacingOccurrences(of: "\"receipt\":\"", with: "\"receipt\":\"data:;base64,"), "\n",
        ]
        let transaction = try ForgedJWS.text(.transaction)
        let notification = try ForgedJWS.text(
            .notification(["signedTransactionInfo": "\"\(transaction)\""]))
        let signed = [
            "{\"id\":\"n\",\"subject\":7,\"receipt\":\"\(notification)\"}\n",
            "{\"data\":{\"signedTransactionInfo\":\"\(transaction)\"}}\n",
        ]
        let text: String = (others + signed).joined()
        return try workplace.write(
            Array(try Forged.lines(count).joined()) + Array(text.utf8), to: "in.ndjson")
    }

    private func root(_ path: String) throws -> String? {
        try Connection(path: path).prepare("SELECT root FROM runs").firstValue()
    }

    /// Returns the leaf of a line, by the procedure for a shell with openssl.
    static func leaf(
        _ line: some StringProtocol, source: Int = 1, place: Int, received: String
    ) throws -> AuditLeaf {
        var statement = String(line)
        if let signature = statement.range(of: ",\"signature\":") {
            let eligibility = statement.range(of: ",\"eligibility\":", options: .backwards)?.lowerBound
            let end = eligibility ?? statement.index(before: statement.endIndex)
            statement.removeSubrange(signature.lowerBound..<end)
        }
        let text = """
            appreceipt record 2
            source \(source)
            place \(place)
            received \(received)
            \(statement)

            """
        return try #require(AuditLeaf(parsing: Array(text.utf8)))
    }

    private func sha256(_ text: String) throws -> String {
        hexadecimal(try #require(try ReceiptVerifier().sha256(of: Array(text.utf8))))
    }

    /// Checks that the root does not depend on a source's name or compression: export, single receipt,
    /// folder.
    @Test func rootDoesNotDependOnSourceNames() throws {
        let export = try input(5)
        let bytes = try workplace.read("in.ndjson")
        let receipt = try Forged.receipt(ReceiptContent())
        let alone = try workplace.write(receipt, to: "folder/alone.der")
        try workplace.write(Array("no receipt".utf8), to: "folder/folder")
        try workplace.write(bytes, to: "other/e\u{301}.ndjson")
        try workplace.shell("gzip -c in.ndjson > packed.ndjson.gz && ln -s folder link")
        func root(_ source: String, _ input: [UInt8] = []) throws -> String {
            let run = try Tool.run(
                [
                    "audit", source, "--ndjson", workplace.file(UUID().uuidString), "--as-of",
                    "2026-01-01T00:00:00Z",
                ],
                stdin: input)
            let line = try #require(
                run.messages.split(separator: "\n").last { $0.contains("Merkle root of the audit: ") },
                "\(run)")
            return String(line.suffix(64))
        }
        for names in [
            [
                export, workplace.file("./in.ndjson"), workplace.file("packed.ndjson.gz"),
                workplace.file("other/e\u{301}.ndjson"),
            ],
            [alone, workplace.file("./folder//alone.der")],
            [workplace.file("folder"), workplace.file("folder/."), workplace.file("link/")],
        ] {
            var roots = Set(try names.map { try root($0) })
            if names[0] == export { roots.insert(try root("-", bytes)) }
            #expect(roots.count == 1, "\(names)")
        }
    }

    /// Checks that undecodable texts and different encodings of one receipt are different records.
    @Test func rootCoversTheReceivedBytes() throws {
        let line = try Forged.line("a", ReceiptContent())
        let text = String(decoding: line, as: UTF8.self)
        let receipt = try #require(text.firstMatch(of: /"receipt":"([^"]*)"/)).1
        let unpadded = receipt.replacing("=", with: "")
        let records =
            [
                "!!!c", "!!!e", String(receipt), "\(receipt)\\n", " \(receipt)", String(unpadded),
                "\(unpadded)\\n\\n", "\(receipt.prefix(64))\\n\(receipt.dropFirst(64))",
                receipt.replacing("+", with: "-").replacing("/", with: "_"), "data:;base64,\(receipt)",
                "\(receipt.dropLast(8))AAAA\(receipt.suffix(4))",
            ].map { "{\"receipt\":\"\($0)\"}" } + [
                "no JSON", "no json", #"{"signedTransactions":[5]}"#, #"{"signedTransactions":[6]}"#,
            ]
        let roots = try records.map { record in
            let input = try workplace.write(Array("\(record)\n".utf8), to: "in.ndjson")
            return try Forged.audit([input]).writeLines(to: workplace.file(UUID().uuidString), jobs: 1).root
        }
        #expect(Set(roots).count == records.count)
    }

    /// Checks that roots of CSV are over the bytes of a row whose signed object is not UTF-8.
    @Test func rootCoversRowsThatAreNotUTF8() throws {
        let roots = try [0xFE, 0xFF].map { (byte: UInt8) in
            let row = Array("id,receipt,signedTransactionInfo\n1,MAT7,".utf8) + [byte, 0x0A]
            let input = try workplace.write(row, to: "in.csv")
            return try Forged.audit([input]).writeLines(to: workplace.file("\(byte)"), jobs: 1).root
        }
        #expect(Set(roots).count == 2)
    }

    /// Checks the tree against its documentation, computed from the written lines, with and without a
    /// catalog.
    @Test(arguments: [nil, DatabaseTests.catalog]) func rootFollowsFromTheLines(catalog: String?) throws {
        let input = try input()
        let audit = try Forged.audit([input], catalog: catalog)
        let lines = workplace.file("lines")
        let counts = try audit.writeLines(to: lines, jobs: 2)
        let tree = MerkleTree(try ReceiptVerifier())
        var frontier = MerkleFrontier()
        let written = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        // A blank line has a place but no record. The notification and its object are two answers to one
        // record.
        let places = Array(1...64) + [66, 66, 67]
        let records = String(decoding: try workplace.read("in.ndjson"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        func text(_ place: Int, after name: String) throws -> String {
            let end = try #require(records[place - 1].range(of: "\"\(name)\":\"")).upperBound
            return try sha256(String(records[place - 1][end...].prefix { $0 != "\"" }))
        }
        let received =
            try Array(repeating: "base64", count: 60) + [
                sha256("not JSON"), "nothing", sha256("MAT7"), text(64, after: "receipt"),
                text(66, after: "receipt"), text(66, after: "receipt"),
                text(67, after: "signedTransactionInfo"),
            ]
        #expect(written.count == places.count)
        for (line, (place, received)) in zip(written, zip(places, received)) {
            let leaf = try Self.leaf(line, place: place, received: received)
            #expect(try JSONSerialization.jsonObject(with: Data(leaf.statement)) is [String: Any])
            try tree.append([tree.leaf(leaf.bytes.span)], to: &frontier)
        }
        #expect(try counts.root == tree.root(of: frontier))
    }

    /// Checks that the root is the same for every output and number of threads.
    @Test func rootIsTheSameInEveryOutput() throws {
        let input = try input(150)
        for catalog in [nil, DatabaseTests.catalog] {
            let audit = try Forged.audit([input], catalog: catalog)
            var roots: Set<String?> = []
            for jobs in [1, 4] {
                let name = "\(catalog == nil)\(jobs)"
                roots.insert(try audit.writeLines(to: workplace.file("\(name).lines"), jobs: jobs).root)
                let output = workplace.file("\(name).sqlite")
                roots.insert(try audit.database(output, jobs: jobs).root)
                roots.insert(try root(output))
                let both = workplace.file("\(name)-both.sqlite")
                let lines = workplace.file("\(name).both")
                roots.insert(try audit.database(both, lines: lines, jobs: jobs).root)
                let page = workplace.file("\(name).html")
                _ = try audit.writeDatabase(
                    to: nil, page: page,
                    shown: ShownDates(from: Timestamp(millisecondsSince1970: 0), until: nil), jobs: jobs,
                    clock: { Timestamp(millisecondsSince1970: 0) })
                let html = String(decoding: try workplace.read("\(name).html"), as: UTF8.self)
                #expect(html.contains(try #require(roots.first ?? nil)))
            }
            #expect(roots.count == 1, "\(roots)")
        }
    }

    /// Checks that the root covers every statement of a record and its answer.
    @Test func rootCoversEveryStatement() throws {
        let lines = try Forged.lines(3).map { String(decoding: $0, as: UTF8.self) }
        func root(_ lines: [String], catalog: String? = nil) throws -> String? {
            let input = try workplace.write(lines.joined().utf8, to: "in.ndjson")
            let path = workplace.file(UUID().uuidString)
            return try Forged.audit([input], catalog: catalog).writeLines(to: path, jobs: 1).root
        }
        let first = try #require(try root(lines))
        #expect(try root(lines) == first)
        let changed = [
            try root([lines[1], lines[0], lines[2]]), try root(lines.dropLast()),
            try root(lines + [lines[0]]),
            try root(["\n"] + lines),
            try root(lines, catalog: DatabaseTests.catalog),
            try root([
                lines[0].replacing("\"id\":\"receipt-0\"", with: "\"id\":\"receipt-x\""), lines[1], lines[2],
            ]),
            try root([lines[0].replacing("}\n", with: ",\"subject\":7}\n"), lines[1], lines[2]]),
            try root([#"{"id":"receipt-0","receipt":"MAT7"}"# + "\n", lines[1], lines[2]]),
            try root([#"{"id":"receipt-0","receipt":"MAT6"}"# + "\n", lines[1], lines[2]]),
            try root([]),
        ]
        #expect(Set(changed + [first]).count == changed.count + 1)
        #expect(changed.last == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    /// Checks that resuming refuses a database with a changed tree.
    @Test(arguments: [
        ("UPDATE runs SET tree = x'00'", "runs: invalid tree"),
        (
            "UPDATE runs SET tree = zeroblob(length(tree))",
            "runs: tree does not match the leaves of receipts"
        ),
        (
            "UPDATE receipts SET leaf = zeroblob(32) WHERE id = 3",
            "runs: tree does not match the leaves of receipts"
        ),
    ])
    func changedTreeIsNotResumed(change: String, message: String) throws {
        let audit = try Forged.audit([try input()])
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        for isFinished in [true, false] {
            if !isFinished { try unfinish(output) }
            try Connection(path: output).execute(change)
            #expect(throws: AuditError("\(output): \(message)")) {
                try audit.database(output, isResuming: true)
            }
        }
    }

    @Test func changedRootIsReported() throws {
        let audit = try Forged.audit([try input()])
        let output = workplace.file("out.sqlite")
        let counts = try audit.database(output)
        #expect(try audit.database(output, isResuming: true).root == counts.root)
        let zero = String(repeating: "0", count: 64)
        try Connection(path: output).execute("UPDATE runs SET root = '\(zero)'")
        var told: [String] = []
        #expect(try !audit.replay(output, jobs: 2) { told.append($0) }.holds)
        #expect(told == ["runs 1: root was \"\(zero)\", is \"\(try #require(counts.root))\""])
        #expect(
            throws: AuditError("the Merkle root of the finished run does not match its records")
        ) { try audit.database(output, isResuming: true) }
    }

    /// Checks that the root stays the same if the sources moved, but not if their order changed.
    @Test func movedSourcesHaveTheSameRoot() throws {
        let receipt = try Forged.receipt(ReceiptContent())
        let sources = [
            try input(), try workplace.write(receipt, to: "alone.der"),
            workplace.file("folder"),
        ]
        try workplace.write(receipt, to: "folder/a.der")
        let output = workplace.file("out.sqlite")
        let root = try Forged.audit(sources).database(output).root
        try FileManager.default.createDirectory(
            atPath: workplace.file("moved"), withIntermediateDirectories: true)
        let moved = try sources.map { path in
            let other = workplace.file("moved/") + URL(filePath: path).lastPathComponent
            try FileManager.default.moveItem(atPath: path, toPath: other)
            return other
        }
        let again = try Forged.audit(moved).replay(output, jobs: 2) { Issue.record("\($0)") }
        #expect(again.holds)
        #expect(again.counts.root == root)
        #expect(try Forged.audit(moved).database(workplace.file("moved.sqlite")).root == root)
        #expect(try !Forged.audit([moved[0], moved[2], moved[1]]).replay(output, jobs: 2) { _ in }.holds)
    }
}
