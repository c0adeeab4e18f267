package import AppReceipt
import Foundation
import ReceiptEvidence
import ReceiptJSON
import StrictJSON

extension Audit {
    /// Removes subjects' records from a self-contained bundle, and writes its other files again.
    ///
    /// The evidence of forgotten records is removed. So is evidence that no remaining finding names. The Merkle root stays.
    /// The digest of the checksums changes.
    /// - Parameters:
    ///   - tool: The program that removes them.
    ///   - write: See ``Forgetting``.
    /// - Returns: The removal, and the new digest of the list of the bundle's files, or nil if nothing was removed.
    /// - Throws: ``AuditError``.
    package static func forget(
        _ subjects: [String], inBundle folder: String, by tool: AuditingTool, _ verifier: ReceiptVerifier,
        write: ([UInt8]) throws -> Void
    ) throws -> (Forgetting, digest: String?) {
        guard try InputFile(path: "\(folder)/\(Name.manifest)").exists else {
            throw AuditError("\(folder): not a bundle of audit --evidence: contains no \(Name.manifest)")
        }
        let removal = try Forgetting(
            of: subjects, in: "\(folder)/\(Name.database)", lines: "\(folder)/\(Name.lines)", verifier,
            write: write)
        guard removal.records > 0 else { return (removal, nil) }
        let handed = try BundleFolder(folder, resuming: Name.database, verifier)
        let database = try AuditDatabase(path: handed.path(of: Name.database), isReadOnly: true)
        let customers = handed.path(of: Name.customers)
        if try InputFile(path: customers).exists { try filter(customers, without: Set(subjects)) }
        try Report(of: database).write(to: handed.path(of: Name.page))
        try CSVExport(of: database).write(to: handed.path(of: Name.tables))
        let kept = try keepEvidence(of: database, in: handed)
        let names =
            [Name.database, Name.lines, Name.page] + CSVExport.tables.map { "\(Name.tables)/\($0.name)" }
        for name in names { try handed.list(name) }
        if try InputFile(path: customers).exists { try handed.list(Name.customers) }
        for number in kept.sorted() {
            for name in try BundleCheck.files(in: folder, below: "\(Name.records)/\(number)") {
                try handed.list(name)
            }
        }
        let (findings, missing) = try writeFindings(of: database, kept, to: handed)
        try handed.write(
            Name.readme,
            readme(
                try database.progress().counts, kept.count, missing, mostEvidence,
                forgotten: database.forgotten()))
        let manifest = BundleManifest(
            tool: tool, files: handed.files, evidence: (kept.count, findings, missing))
        try handed.write(Name.manifest) { sink in try database.access { try manifest.write($0, to: sink) } }
        return (removal, try handed.writeSums())
    }

    /// Removes the lines of subjects. The file at the path is always complete.
    private static func filter(_ path: String, without subjects: Set<String>) throws {
        let source = TextSource(try ByteStream(path: path), source: path, format: .ndjson, limit: 1 << 28)
        try UnfinishedFile.write(to: path) { sink in
            while let batch = try source.next() {
                for record in batch.records {
                    guard case .line(let range) = record else { throw AuditError("\(path): invalid line") }
                    let line = Array(batch.bytes[range])
                    if let subject = try? subject(of: line), subjects.contains(subject) { continue }
                    try sink.write(line + [0x0A])
                }
            }
        }
    }

    private static func subject(of line: [UInt8]) throws(JSONError) -> String? {
        var subject: String?
        var reader = JSONReader(line.span)
        try reader.object { (reader, name) throws(JSONError) in
            if name == "subject", try reader.peek() == .string {
                subject = try reader.string(atMost: line.count)
            } else {
                try reader.skip()
            }
        }
        return subject
    }

    /// Removes evidence of records that no finding names any more.
    /// - Returns: The numbers of the records whose evidence stays.
    private static func keepEvidence(of database: AuditDatabase, in handed: BundleFolder) throws -> Set<Int> {
        let folder = handed.path(of: Name.records)
        guard try InputFile(path: folder).exists else { return [] }
        let named = Set(try database.recordsOfFindings(atMost: .max).map(\.number))
        var kept: Set<Int> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            if let number = Int(name), named.contains(number) {
                kept.insert(number)
            } else {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
        if kept.isEmpty { try FileManager.default.removeItem(atPath: folder) }
        return kept
    }
}
