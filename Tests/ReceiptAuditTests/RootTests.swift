import AppReceipt
import Foundation
import GRDB
import ReceiptEvidence
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptAudit

/// The root hash of an audit: every record and its answer in the order of the input, and nothing else.
struct RootTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Genuine, refused, absent, unreadable, wrapped, signed transactions, several objects in a record.
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
        try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: "SELECT root FROM runs") }
    }

    /// What anybody can make of the lines with a shell and openssl: the leaf that each has in the tree.
    static func leaf(_ line: some StringProtocol, source: String, place: Int) throws -> AuditLeaf {
        var statement = String(line)
        if let signature = statement.range(of: ",\"signature\":") {
            let eligibility = statement.range(of: ",\"eligibility\":", options: .backwards)?.lowerBound
            let end = eligibility ?? statement.index(before: statement.endIndex)
            statement.removeSubrange(signature.lowerBound..<end)
        }
        let digest = try #require(try ReceiptVerifier().sha256(of: Array(source.utf8)))
        return try #require(
            AuditLeaf(
                parsing: Array(
                    "appreceipt record 1\nsource \(hexadecimal(digest))\nplace \(place)\n\(statement)\n".utf8)
            ))
    }

    /// Of names that Swift takes for the same text, each is its own source's: no leaf depends on what a thread did before.
    @Test func namesThatLookAlikeAreOthers() throws {
        let record = Array(try Forged.lines(1).joined())
        let sources = try ["\u{E9}.ndjson", "e\u{301}.ndjson"].map { try workplace.write(record, to: $0) }
        let counts = try Forged.audit(sources).writeLines(to: workplace.file("lines"), jobs: 1)
        let written = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        let tree = MerkleTree(try ReceiptVerifier())
        var records = MerkleFrontier()
        #expect(written.count == 2)
        for (line, source) in zip(written, sources) {
            let leaf = try Self.leaf(line, source: source, place: 1)
            try tree.append([tree.leaf(leaf.bytes.span)], to: &records)
        }
        #expect(try counts.root == tree.root(of: records))
    }

    /// The tree is what its documentation says, of the lines as they were written: with a catalogue and without.
    @Test(arguments: [nil, DatabaseTests.catalog]) func theRootFollowsFromTheLines(catalog: String?) throws {
        let input = try input()
        let audit = try Forged.audit([input], catalog: catalog)
        let lines = workplace.file("lines")
        let counts = try audit.writeLines(to: lines, jobs: 2)
        let tree = MerkleTree(try ReceiptVerifier())
        var records = MerkleFrontier()
        let written = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        // A blank line has a place and no record; the notification and what it carries are two answers to one record.
        let places = Array(1...64) + [66, 66, 67]
        #expect(written.count == places.count)
        for (line, place) in zip(written, places) {
            let leaf = try Self.leaf(line, source: input, place: place)
            #expect(try JSONSerialization.jsonObject(with: Data(leaf.statement)) is [String: Any])
            try tree.append([tree.leaf(leaf.bytes.span)], to: &records)
        }
        #expect(try counts.root == tree.root(of: records))
    }

    /// One number, whatever is written, by however many threads.
    @Test func theRootIsTheSameInEveryOutput() throws {
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

    /// Whatever a record says of itself, and how it is answered, is in the root.
    @Test func everythingThatIsStatedCounts() throws {
        let lines = try Forged.lines(3).map { String(decoding: $0, as: UTF8.self) }
        func root(_ lines: [String], source: String = "in.ndjson", catalog: String? = nil) throws -> String? {
            let input = try workplace.write(lines.joined().utf8, to: source)
            let path = workplace.file(UUID().uuidString)
            return try Forged.audit([input], catalog: catalog).writeLines(to: path, jobs: 1).root
        }
        let first = try #require(try root(lines))
        #expect(try root(lines) == first)
        let changed = [
            try root([lines[1], lines[0], lines[2]]), try root(lines.dropLast()),
            try root(lines + [lines[0]]),
            try root(["\n"] + lines), try root(lines, source: "other.ndjson"),
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

    /// What a database that was in other hands says of its tree is not taken for the root of an undisturbed run.
    @Test(arguments: [
        ("UPDATE runs SET tree = x'00'", "runs: tree is not as this version writes it"),
        (
            "UPDATE runs SET tree = zeroblob(length(tree))",
            "runs: tree does not follow from the leaves of the receipts"
        ),
        (
            "UPDATE receipts SET leaf = zeroblob(32) WHERE id = 3",
            "runs: tree does not follow from the leaves of the receipts"
        ),
    ])
    func aTreeThatWasTouchedIsNotTakenUp(change: String, message: String) throws {
        let audit = try Forged.audit([try input()])
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        for isFinished in [true, false] {
            if !isFinished { try unfinish(output) }
            try DatabaseQueue(path: output).write { try $0.execute(sql: change) }
            #expect(throws: AuditError("\(output): \(message)")) {
                try audit.database(output, isResuming: true)
            }
        }
    }

    @Test func aRootThatWasTouchedIsTold() throws {
        let audit = try Forged.audit([try input()])
        let output = workplace.file("out.sqlite")
        let counts = try audit.database(output)
        #expect(try audit.database(output, isResuming: true).root == counts.root)
        let zero = String(repeating: "0", count: 64)
        try DatabaseQueue(path: output).write { try $0.execute(sql: "UPDATE runs SET root = '\(zero)'") }
        var told: [String] = []
        #expect(try !audit.replay(output, jobs: 2) { told.append($0) }.holds)
        #expect(told == ["runs 1: root was \"\(zero)\", is \"\(try #require(counts.root))\""])
        #expect(
            throws: AuditError("the root of the run that is finished does not follow from its records")
        ) { try audit.database(output, isResuming: true) }
    }

    /// A replay where the sources lie elsewhere comes to the same root: records are called as the run called them.
    @Test func sourcesMayLieElsewhere() throws {
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
        #expect(again.holds && again.counts.root == root)
        #expect(try Forged.audit(moved).database(workplace.file("moved.sqlite")).root != root)
        #expect(try !Forged.audit([moved[0], moved[2], moved[1]]).replay(output, jobs: 2) { _ in }.holds)
    }
}
