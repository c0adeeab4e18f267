package import AppReceipt
package import ReceiptEvidence
import ReceiptJSON
package import RecordSources
import SQLite
import StrictJSON
import SystemLibrary

/// A check of a self-contained bundle of an audit without its sources. The files must match the checksums and
/// the manifest, and all evidence must be under one Merkle root.
package struct BundleCheck {
    package typealias Fault = EvidenceCheck.Fault

    private typealias Name = Audit.Name

    private let folder: String
    private let verifier: ReceiptVerifier
    private let manifest: Manifest
    /// The names of the folders whose evidence was checked.
    private var seen: Set<[UInt8]> = []

    /// The maximum number of files in a bundle. The evidence of a record has fewer than 30.
    private static let mostFiles = 30 * Audit.mostEvidence + 100
    /// The maximum size in bytes of a file that is read as a whole.
    private static let mostBytes = 1 << 28

    /// Opens a bundle, or returns nil if the folder is not one.
    /// - Throws: ``AuditError`` if its manifest cannot be read.
    package init?(_ folder: String, _ verifier: ReceiptVerifier) throws(AuditError) {
        let path = "\(folder)/\(Name.manifest)"
        guard InputFile(path: path).size != nil else { return nil }
        (self.folder, self.verifier) = (folder, verifier)
        let bytes = try Self.read(path)
        manifest = try AuditError.naming(path) { try Manifest(parsing: bytes) }
    }

    private static func read(_ path: String) throws(AuditError) -> [UInt8] {
        do throws(ReceiptError) {
            return try InputFile(path: path).read(limit: mostBytes)
        } catch {
            throw AuditError("\(path): \(error.message)")
        }
    }

    /// The path of the folder with the evidence of records, or nil if there is none.
    package var records: String? {
        let path = "\(folder)/\(Name.records)"
        return (try? InputFile(path: path).isFolder) == true ? path : nil
    }

    /// Returns the revocation lists of the audit.
    /// - Throws: ``AuditError`` if a file cannot be read.
    package func lists() throws(AuditError) -> [EvidenceFile] {
        guard (try? InputFile(path: "\(folder)/\(Name.revocation)").isFolder) == true else { return [] }
        var files: [EvidenceFile] = []
        var room = Self.mostBytes
        for path in try Self.files(in: folder, below: Name.revocation) {
            let bytes = try Self.read("\(folder)/\(path)")
            room -= bytes.count
            guard room >= 0 else { throw AuditError("\(folder)/\(path): the revocation lists are too large") }
            files.append(EvidenceFile(path, bytes))
        }
        return files
    }

    /// The number of records whose evidence was checked. It is 0 for an audit without findings.
    package var recordsSeen: Int { seen.count }

    /// The number of records of the audit, which the check compares with the database.
    package var recordCount: Int { Int(clamping: manifest.records) }

    /// The Merkle root of all records, as the manifest states it.
    package var root: String { manifest.root }

    /// Returns the number of records that were forgotten, after the bundle was checked.
    package func forgotten() throws(AuditError) -> Int {
        try AuditDatabase(path: "\(folder)/\(Name.database)", isReadOnly: true).forgotten()
    }

    /// Notes that a record has evidence, which cannot be read.
    package mutating func note(_ name: String) { seen.insert(Array("\(Name.records)/\(name)".utf8)) }

    /// Compares the evidence of one record with the manifest.
    /// - Parameters:
    ///   - name: The name of the record's folder.
    ///   - inclusion: The proof and its root, see ``EvidenceCheck/inclusion(in:)``.
    package mutating func faults(
        of name: String, _ inclusion: (proof: InclusionProof, root: String)?
    ) -> [Fault] {
        note(name)
        guard let (proof, root) = inclusion else {
            return [Fault("", "no record number")]
        }
        var faults: [Fault] = []
        if root != manifest.root {
            faults.append(Fault("", "another Merkle root than in \(Name.manifest)"))
        }
        if proof.treeSize != manifest.records {
            faults.append(Fault("", "\(proof.treeSize) records in the audit, expected \(manifest.records)"))
        }
        if "\(proof.index + 1)" != name {
            faults.append(Fault("", "proves record \(proof.index + 1), expected \(name)"))
        }
        return faults
    }

    /// Compares all files with the checksums, and the manifest, the findings and the database with one
    /// another.
    /// - Returns: The faults, the number of files, and the digest of the checksums.
    /// - Throws: ``AuditError`` if a file cannot be read.
    package func faults() throws(AuditError) -> (faults: [Fault], files: Int, digest: String) {
        let (files, count, list) = try fileFaults()
        let faults = try files + findingsFaults() + databaseFaults()
        guard let digest = verifier.sha256(of: list) else { throw LineDigest.failure }
        return (Array(faults.prefix(EvidenceCheck.mostFaults)), count, hexadecimal(digest))
    }

    /// Compares all files with the checksums, and the checksums with the manifest.
    /// - Returns: The faults, the number of files, and the checksums.
    /// - Throws: ``AuditError`` if a file cannot be read.
    func fileFaults() throws(AuditError) -> (faults: [Fault], files: Int, sums: [UInt8]) {
        let names = try Self.files(in: folder, below: "")
        let list = try Self.read("\(folder)/\(EvidenceBundle.manifest)")
        let sums = Checksums(parsing: list, of: EvidenceBundle.manifest)
        var faults = sums.faults
        let there = Set(names.map { Array($0.utf8) })
        var digests: [[UInt8]: String] = [:]
        for line in sums.lines {
            let path = Array(line.path.utf8)
            digests[path] = line.digest
            guard there.contains(path) else {
                faults.append(Fault(line.path, "listed in SHA256SUMS but missing"))
                continue
            }
            let file = "\(folder)/\(line.path)"
            let stream = try ByteStream(path: file, digest: verifier.streamDigest())
            guard let facts = try stream.facts(of: file) else { throw LineDigest.failure }
            if hexadecimal(facts.sha256) != line.digest {
                faults.append(Fault(line.path, "does not match SHA256SUMS"))
            }
        }
        for name in names where digests[Array(name.utf8)] == nil && name != EvidenceBundle.manifest {
            faults.append(Fault(name, "not listed in SHA256SUMS"))
        }
        for output in manifest.outputs where !digests[Array(output.path.utf8)].isExactly(output.digest) {
            faults.append(Fault(Name.manifest, "digest of \(output.path) differs from SHA256SUMS"))
        }
        return (faults, names.count, list)
    }

    /// Returns the paths of all files, relative to the folder.
    static func files(in folder: String, below name: String) throws(AuditError) -> [String] {
        let place = name.isEmpty ? folder : "\(folder)/\(name)"
        let (list, error) = SystemPath(place).names()
        var names = list
        if let error { throw AuditError("\(place): \(systemMessage(error.number))") }
        guard names.hidden == 0 else { throw AuditError("\(place): unexpected hidden files") }
        var files: [String] = []
        while let bytes = names.next() {
            guard let last = String(validating: bytes, as: UTF8.self) else {
                throw AuditError("\(place): unexpected file name (not UTF-8)")
            }
            let path = name.isEmpty ? last : "\(name)/\(last)"
            let file = "\(folder)/\(path)"
            let kind = try AuditError.naming(file) { try SystemPath(file).status(followingLinks: false).kind }
            switch kind {
            case S_IFREG: files.append(path)
            // The three levels are the records, the evidence of one, and its inclusion proof.
            case S_IFDIR where name.split(separator: "/").count < 3:
                files += try Self.files(in: folder, below: path)
            default: throw AuditError("\(folder)/\(path): not a file")
            }
            guard files.count <= Self.mostFiles else {
                throw AuditError("\(folder): more files than an audit writes")
            }
        }
        return files
    }

    /// Checks that the folders that findings name are those in the bundle.
    private func findingsFaults() throws(AuditError) -> [Fault] {
        let text = try Self.read("\(folder)/\(Name.findings)")
        var (findings, missing, named) = (0, 0, Set<[UInt8]>())
        for line in text.split(separator: UInt8(ascii: "\n")) {
            findings += 1
            do throws(JSONError) {
                try Self.read(line: Array(line), &missing, &named)
            } catch {
                return [Fault(Name.findings, "line \(findings): \(error)")]
            }
        }
        var faults: [Fault] = []
        for name in Self.sorted(named.subtracting(seen)) {
            faults.append(Fault(Name.findings, "based on \(name), which is missing"))
        }
        for name in Self.sorted(seen.subtracting(named)) {
            faults.append(Fault(name, "no finding is based on it"))
        }
        if manifest.evidence != [findings, seen.count, missing] {
            faults.append(Fault(Name.manifest, "wrong count of findings or evidence"))
        }
        return faults
    }

    private static func sorted(_ names: Set<[UInt8]>) -> [String] {
        names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func read(
        line: [UInt8], _ missing: inout Int, _ named: inout Set<[UInt8]>
    ) throws(JSONError) {
        var reader = JSONReader(line.span)
        var (absent, folders) = (0, [String]())
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "missing": absent = try reader.integer()
            case "evidence":
                try reader.array { (reader, _) throws(JSONError) in folders.append(try reader.string()) }
            default: try reader.skip()
            }
        }
        try reader.end()
        missing = missing.addingReportingOverflow(absent).partialValue
        named.formUnion(folders.map { Array($0.utf8) })
    }

    /// Returns whether the audit does not have a forgotten record, or a table still refers to one.
    private func hasForeignTombstones(_ database: AuditDatabase, _ records: UInt64) throws -> Bool {
        guard try database.hasForgottenTable() else { return false }
        return try database.access {
            try $0.prepare(
                """
                SELECT EXISTS (SELECT 1 FROM forgotten WHERE id NOT BETWEEN 1 AND ?)
                    OR EXISTS (SELECT 1 FROM pragma_foreign_key_check)
                """, Int64(clamping: records)
            ).firstValue() == true
        }
    }

    /// Checks that the leaves of the database lead to the root. Only a replay shows whether its rows follow
    /// from the sources.
    func databaseFaults() -> [Fault] {
        let path = "\(folder)/\(Name.database)"
        // With a log next to it, SQLite would write into the folder: https://www.sqlite.org/fileformat2.html,
        // 1.3.
        guard (try? InputFile(path: path).start(20))?.suffix(2) == [1, 1] else {
            return [Fault(Name.database, "not an audit database")]
        }
        do {
            let database = try AuditDatabase(path: path, isReadOnly: true)
            guard try database.holdsRun() else { return [Fault(Name.database, "contains no audit run")] }
            try database.requireSchema(mayHaveForgotten: true)
            let tree = MerkleTree(verifier)
            let (root, records) = try database.requireTree(tree)
            let leaves = try StoredLeaves(database, tree).root(of: 0..<records)
            guard root == manifest.root && records == manifest.records && leaves.text == root else {
                return [Fault(Name.database, "another Merkle root than in \(Name.manifest)")]
            }
            if try hasForeignTombstones(database, records) {
                return [Fault(Name.database, "forgotten: unknown records, or records with rows")]
            }
            var lines = try AuditLines(path: "\(folder)/\(Name.lines)")
            return switch try lines.compare(with: database, tree) {
            case .lines(let message)?: [Fault(Name.lines, message)]
            case .database(let message)?: [Fault(Name.database, message)]
            case nil: []
            }
        } catch {
            return [Fault(Name.database, String("\(error)".trimmingPrefix("\(path): ")))]
        }
    }
}

extension BundleCheck {
    /// The checked members of `manifest.json`.
    private struct Manifest {
        private(set) var root = ""
        private(set) var records: UInt64 = 0
        private(set) var outputs: [(path: String, digest: String)] = []
        /// The numbers of findings, of records with evidence, and of references without evidence.
        private(set) var evidence: [Int] = [0, 0, 0]

        init(parsing bytes: [UInt8]) throws(JSONError) {
            var (root, records, outputs, evidence) = (root, records, outputs, evidence)
            var reader = JSONReader(bytes.span)
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "run":
                    try reader.object { (reader, name) throws(JSONError) in
                        switch name.ifASCII {
                        case "root": root = try reader.string()
                        case "records": records = try reader.integer()
                        default: try reader.skip()
                        }
                    }
                case "outputs":
                    try reader.array { (reader, _) throws(JSONError) in
                        var output = (path: "", digest: "")
                        try reader.object { (reader, name) throws(JSONError) in
                            switch name.ifASCII {
                            case "path": output.path = try reader.string()
                            case "sha256": output.digest = try reader.string()
                            default: try reader.skip()
                            }
                        }
                        outputs.append(output)
                    }
                case "evidence":
                    try reader.object { (reader, name) throws(JSONError) in
                        let index = ["findings", "records", "missing"].firstIndex(of: name.ifASCII)
                        if let index { evidence[index] = try reader.integer() } else { try reader.skip() }
                    }
                default: try reader.skip()
                }
            }
            try reader.end()
            (self.root, self.records, self.outputs, self.evidence) = (root, records, outputs, evidence)
        }
    }
}
