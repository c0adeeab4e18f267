import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import SQLite
import Testing

@testable import ReceiptAudit
@testable import ReceiptExamination
@testable import RecordSources

/// A temporary folder for a test, removed afterwards.
final class Workplace: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "audit-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }
}

/// Forged receipts, and audits of them.
enum Forged {
    static let asOf = EligibilityInstant.date(Timestamp(millisecondsSince1970: 1_767_225_600_000))

    static func lines(_ count: Int, seed: UInt64 = 5) throws -> [[UInt8]] {
        let series = try ReceiptSeries(count: count, seed: seed)
        return try (0..<count).map { try series.line($0) }
    }

    /// Returns the counts of genuine rows in a database.
    static func counts(_ database: Connection) throws -> GenuineCounts {
        var candidates = try FindingCandidates(of: database)
        try candidates.read(database)
        return candidates.genuine
    }

    static func root() throws -> [UInt8] { try ReceiptSeries(count: 1, seed: 1).root }

    static func receipt(_ content: ReceiptContent) throws -> [UInt8] {
        try ReceiptRecipe(content, authority: .test()).forge().bytes
    }

    static func line(_ id: String, _ content: ReceiptContent, subject: String? = nil) throws -> [UInt8] {
        line(id, try receipt(content), subject: subject)
    }

    static func line(_ id: String, _ receipt: [UInt8], subject: String? = nil) -> [UInt8] {
        let text = Data(receipt).base64EncodedString()
        let account = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
        return Array("{\"id\":\"\(id)\",\"receipt\":\"\(text)\"\(account)}\n".utf8)
    }

    static func audit(
        _ sources: [String], catalog: String? = nil, policy: VerificationPolicy = .any,
        deviceID: [UInt8]? = nil,
        asOf: EligibilityInstant = asOf,
        format: SourceFormat = .auto, columns: ColumnNames = ColumnNames()
    ) throws -> Audit {
        let policy = deviceID.map { policy.expecting(deviceID: $0) } ?? policy
        let examiner = Examiner(try ReceiptVerifier(anchors: .custom(try root())), policy: policy)
        var settings = AuditSettings(asOf: asOf)
        settings.reading.format = format
        settings.catalogDigest = catalog.map { _ in String(repeating: "0", count: 64) }
        settings.reading.columns = columns
        settings.policy = policy
        let question = try catalog.map {
            EligibilityQuestion(
                rules: OfferRules(catalog: try SubscriptionCatalog(parsing: Array($0.utf8))), asOf: asOf
            )
        }
        return Audit(sources: sources, settings: settings, examiner: examiner, question: question)
    }
}

extension Audit {
    func database(_ path: String, lines: String? = nil, isResuming: Bool = false, jobs: Int = 2) throws
        -> AuditCounts
    {
        try writeDatabase(
            to: path, lines: lines, isResuming: isResuming, jobs: jobs, recordsPerCommit: 10,
            clock: { Timestamp(millisecondsSince1970: 0) })
    }
}

/// Runs `body` in a transaction of a connection.
func withDatabase<Result>(_ path: String, _ body: (Connection) throws -> Result) throws -> Result {
    let database = try Connection(path: path)
    return try database.transaction(.deferred) { try body(database) }
}

/// Returns every row of every table, without the time and place of a run.
func dump(_ path: String) throws -> [String] {
    try withDatabase(path) { database in
        var rows: [String] = []
        for table in [
            "runs", "certificates", "receipts", "transactions", "renewals", "notifications", "verdicts",
            "customers", "customer_receipts",
            "subject_verdicts", "finding_kinds", "findings", "finding_evidence", "incidents",
            "incident_findings",
            "not_looked_for", "inputs", "revocation_lists",
        ] {
            for row in try database.prepare("SELECT * FROM \(table) ORDER BY 1, 2").rows() {
                for (name, value) in zip(row.names, row.values)
                where !["started_at", "ended_at", "arguments"].contains(name) {
                    rows.append("\(table).\(name) \(value)")
                }
            }
        }
        return rows
    }
}

/// Makes a run look as if it was interrupted before its end.
func unfinish(_ path: String) throws {
    try withDatabase(path) {
        for table in [
            "incident_findings", "incidents", "not_looked_for", "inputs", "finding_evidence", "findings",
            "finding_kinds", "subject_verdicts", "customer_receipts", "customers",
        ] {
            try $0.execute("DELETE FROM \(table)")
        }
        try $0.execute("UPDATE runs SET ended_at = NULL")
        for name: String in try $0.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).values() { try $0.execute("DROP INDEX \(name)") }
    }
}

/// The built tool.
struct Tool {
    /// The path of the tool: next to the tests, or where the variable TESTED_TOOL says.
    static let path =
        ProcessInfo.processInfo.environment["TESTED_TOOL"]
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "appreceipt")
        .path
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let messages = Pipe()

    /// Runs the tool and waits for its end.
    static func run(_ arguments: String..., stdin: [UInt8] = []) throws -> (
        status: Int32, output: String, messages: String
    ) {
        try run(arguments, stdin: stdin)
    }

    static func run(_ arguments: [String], stdin: [UInt8] = []) throws -> (
        status: Int32, output: String, messages: String
    ) {
        let tool = try Tool(arguments)
        try tool.input.fileHandleForWriting.write(contentsOf: stdin)
        try tool.input.fileHandleForWriting.close()
        let output = try tool.output.fileHandleForReading.readToEnd() ?? Data()
        let messages = try tool.messages.fileHandleForReading.readToEnd() ?? Data()
        tool.process.waitUntilExit()
        return (
            tool.process.terminationStatus, String(decoding: output, as: UTF8.self),
            String(decoding: messages, as: UTF8.self)
        )
    }

    init(_ arguments: [String], output file: String? = nil, environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: Self.path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput =
            try file.map { try FileHandle(forWritingTo: URL(filePath: $0)) as Any } ?? output
        process.standardError = messages
        try process.run()
    }
}

extension Workplace {
    /// Returns the rows of a CSV file by RFC 4180: quoted fields with doubled quotes, and CRLF after every
    /// row.
    func csv(_ name: String) throws -> [[String]] {
        var text = String(decoding: try read(name), as: UTF8.self).unicodeScalars[...]
        #expect(text.popFirst() == "\u{FEFF}")
        var rows: [[String]] = []
        var row: [String] = []
        while !text.isEmpty {
            var field = String.UnicodeScalarView()
            if text.first == "\"" {
                text.removeFirst()
                while let scalar = text.popFirst() {
                    if scalar == "\"" {
                        guard text.first == "\"" else { break }
                        text.removeFirst()
                    }
                    field.append(scalar)
                }
            } else {
                while let scalar = text.first, scalar != ",", scalar != "\r" {
                    #expect(("0"..."9").contains(scalar) || scalar == "-")
                    field.append(text.removeFirst())
                }
            }
            row.append(String(field))
            let end = text.removeFirst()
            if end == "," { continue }
            #expect(end == "\r")
            #expect(text.popFirst() == "\n")
            rows.append(row)
            row = []
        }
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        return rows
    }
}
