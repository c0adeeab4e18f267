package import AppReceipt
import Foundation
package import ReceiptEvidence
import ReceiptJSON
import RecordSources
import SQLite

extension Audit {
    /// Removes records from a self-contained bundle, and writes its other files again.
    ///
    /// The evidence of forgotten records is removed. So is evidence that no remaining finding names. The Merkle root stays.
    /// The digest of the checksums changes.
    /// - Parameters:
    ///   - subjects, names: See ``Forgetting``.
    ///   - tool: The program that removes them.
    ///   - write: See ``Forgetting``.
    /// - Returns: The removal, and the new digest of the list of the bundle's files, or nil if nothing was removed.
    /// - Throws: ``AuditError``.
    package static func forget(
        _ subjects: [String], records names: [String] = [], inBundle folder: String, by tool: AuditingTool,
        _ verifier: ReceiptVerifier,
        write: ([UInt8]) throws -> Void
    ) throws -> (Forgetting, digest: String?) {
        guard try InputFile(path: "\(folder)/\(Name.manifest)").exists else {
            throw AuditError("\(folder): not a bundle of audit --evidence: contains no \(Name.manifest)")
        }
        let mark = "\(folder)/\(unfinished)"
        let isInterrupted = try InputFile(path: mark).exists
        let removal = try Forgetting(
            of: subjects, records: names, in: "\(folder)/\(Name.database)", lines: "\(folder)/\(Name.lines)",
            isInterrupted: isInterrupted, verifier,
            begin: {
                try CSVExport.requireWritable(in: "\(folder)/\(Name.tables)", isReplacing: true)
                try UnfinishedFile.write(to: mark) { sink in
                    try sink.write(Array("Interrupted: run appreceipt forget again.\n".utf8))
                    try sink.synchronize()
                }
            },
            write: write)
        guard removal.records + removal.completed > 0 else { return (removal, nil) }
        let handed = try BundleFolder(folder, resuming: Name.database, verifier)
        let database = try AuditDatabase(path: handed.path(of: Name.database), isReadOnly: true)
        let forgotten = try database.forgotten()
        let customers = handed.path(of: Name.customers)
        if try InputFile(path: customers).exists { try filter(customers, by: database) }
        try Report(of: database).write(to: handed.path(of: Name.page))
        try CSVExport(of: database).write(to: handed.path(of: Name.tables))
        let kept = try keepEvidence(of: database, in: handed)
        for name in Name.outputs { try handed.list(name) }
        if try InputFile(path: customers).exists { try handed.list(Name.customers) }
        if try InputFile(path: handed.path(of: Name.revocation)).exists {
            for name in try BundleCheck.files(in: folder, below: Name.revocation) { try handed.list(name) }
        }
        for number in kept.sorted() {
            for name in try BundleCheck.files(in: folder, below: "\(Name.records)/\(number)") {
                try handed.list(name)
            }
        }
        let bundle = try finish(
            handed, of: database, by: tool, database.progress().counts, kept, mostEvidence,
            forgotten: forgotten)
        try FileManager.default.removeItem(atPath: mark)
        return (removal, bundle.digest)
    }

    /// The file in a bundle from the first change until all its files are written again.
    private static let unfinished = "forget-interrupted.txt"

    /// Compares a bundle with its checksums and its manifest before records are forgotten, because its files are then listed
    /// with new checksums. After an interrupted run, files that this run writes again or removes may differ.
    /// - Returns: The first fault, or nil if there is none.
    /// - Throws: ``AuditError``.
    package static func faultBeforeForgetting(
        inBundle folder: String, _ verifier: ReceiptVerifier
    ) throws -> EvidenceCheck.Fault? {
        guard let check = try BundleCheck(folder, verifier) else { return nil }
        let outputs =
            Name.outputs + [
                unfinished, Name.customers, Name.findings, Name.readme, Name.manifest,
                EvidenceBundle.manifest,
            ]
        for name in outputs { Forgetting.removeUnfinished("\(folder)/\(name)") }
        let faults = try check.fileFaults().faults
        guard try InputFile(path: "\(folder)/\(unfinished)").exists else {
            return (faults + check.databaseFaults()).first
        }
        let changing = Set(outputs + ["\(Name.database)-journal"]).subtracting([EvidenceBundle.manifest])
        return try faults.first { fault in
            let isRemoved =
                try fault.file.hasPrefix("\(Name.records)/")
                && !InputFile(path: "\(folder)/\(fault.file)").exists
            return !isRemoved && !changing.contains(fault.file)
        }
    }

    /// Removes the lines of customers that the database no longer has. The file at the path is always complete.
    private static func filter(_ path: String, by database: AuditDatabase) throws {
        let source = TextSource(try ByteStream(path: path), source: path, format: .ndjson, limit: 1 << 28)
        try UnfinishedFile.write(to: path) { sink in
            try database.access { database in
                let customer = try database.prepare("SELECT EXISTS (SELECT 1 FROM customers WHERE id = ?)")
                while let batch = try source.next() {
                    for record in batch.records {
                        guard case .line(let range, _) = record,
                            let number = Self.customer(of: batch.bytes[range])
                        else {
                            throw AuditError("\(path): not a file of --subject-verdicts")
                        }
                        guard try customer.bind(number).firstValue() == true else { continue }
                        try sink.write(batch.bytes[range] + [0x0A])
                    }
                }
            }
        }
    }

    /// Returns the number of the customer of a line.
    private static func customer(of line: ArraySlice<UInt8>) -> Int64? {
        guard CustomerOrigin.isStart(of: Array(line)) else { return nil }
        let digits = line.drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
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
