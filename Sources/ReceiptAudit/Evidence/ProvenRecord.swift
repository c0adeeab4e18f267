import AppReceipt
package import ReceiptEvidence
package import ReceiptExamination
import ReceiptJSON
import RecordSources
import StrictJSON

/// A record of a finished run that was read and verified again with the same answer.
package struct ProvenRecord {
    /// The number of the record in the whole input, from 1.
    package let number: Int
    /// The source or ID of the record.
    package let origin: ReceiptOrigin
    /// The parts of the record that may contain the signed object. Two objects of a record can have one path.
    package let parts: [Part]
    package let inclusion: InclusionProof

    package struct Part {
        /// The signed bytes as the record contains them.
        package let received: [UInt8]
        /// The place of the signed object in these bytes, such as `#data.signedTransactionInfo`. Empty if the
        /// bytes are the object.
        package let place: String
    }
}

extension ProvenRecord {
    /// Returns the evidence of the record, or nil if it contains no signed object.
    func bundle(by maker: EvidenceMaker) throws -> EvidenceBundle? {
        for part in parts {
            var found: EvidenceBundle?
            try maker.makeBundles(
                of: part.received, from: origin, at: part.place, isUnwrapping: true, inclusion: inclusion
            ) { examination, bundle in
                // Only a JWS without surrounding white space has the same result alone and as a member of a
                // record.
                if inclusion.leaf.states(examination, of: origin, maker.question) { found = bundle }
            }
            if let found { return found }
        }
        return nil
    }
}

extension Audit {
    /// Writes the evidence of one record of a finished run, with the proof that the run's tree contains it.
    /// - Parameters:
    ///   - name: The name of the record, see ``AuditDatabase/record(named:)``.
    ///   - path: The run's database. Only facts that follow from the sources and its root are trusted.
    ///   - folder: A new or empty folder.
    ///   - maker: The maker of evidence, with the question of the audit.
    /// - Returns: The root, the record's number, the number of records, and the digest of the evidence's
    ///   manifest.
    /// - Throws: ``AuditError``, also if the record does not get the same answer as in the run.
    package func prove(
        _ name: String, in path: String, to folder: String, by maker: EvidenceMaker
    ) throws -> (root: String, number: Int, records: UInt64, digest: [UInt8]) {
        let database = try AuditDatabase(path: path, isReadOnly: true)
        guard try database.holdsRun() else { throw AuditError("\(path): contains no audit run") }
        try database.requireSchema(mayHaveForgotten: true)
        var proven: (number: Int, records: UInt64, digest: [UInt8]) = (0, 0, [])
        let root = try prove([database.record(named: name)], in: database) { record in
            guard let bundle = try record.bundle(by: maker) else {
                throw AuditError(
                    "\(path): record \(record.number) contains no readable signed object")
            }
            try BundleFolder(folder, evaluator.examiner.verifier).write(bundle, to: "")
            proven = (record.number, record.inclusion.treeSize, bundle.digest)
        }
        return (root, proven.number, proven.records, proven.digest)
    }

    /// Reads the sources until all records were found, and proves that the tree contains each.
    /// - Returns: The root.
    func prove(
        _ records: [StoredRecord], in database: AuditDatabase, _ body: (ProvenRecord) throws -> Void
    ) throws -> String {
        var audit = self
        // The audit has already printed how it reads the sources.
        audit.notify = { _ in }
        audit.names = try database.sourceNames(sources.count)
        let plan = try audit.makePlan(isEvidence: false)
        try database.require(audit.namedSettings(plan, hasLines: false), ignoring: ["sources", "ndjson"])
        let (root, count) = try database.requireTree(tree)
        let stored = try StoredLeaves(database, tree)
        try audit.find(records, plan) { record, found in
            let proof = try InclusionProof(found.leaf, at: UInt64(record.number - 1), of: count) {
                try stored.root(of: $0)
            }
            guard try proof.root(of: tree)?.text == root else {
                throw AuditError(
                    "\(database.path): receipts \(record.number): does not lead to the Merkle root")
            }
            try body(
                ProvenRecord(
                    number: record.number, origin: found.origin, parts: found.parts, inclusion: proof))
        }
        return root
    }

    /// A record as the sources contain it now.
    private typealias FoundRecord = (
        leaf: AuditLeaf, origin: ReceiptOrigin, parts: [ProvenRecord.Part]
    )

    /// Reads the sources until all records were found.
    private func find(
        _ records: [StoredRecord], _ plan: SourcePlan, _ body: (StoredRecord, FoundRecord) throws -> Void
    ) throws {
        var wanted = Dictionary(grouping: records) { Array("\($0.place) \($0.source)".utf8) }
        let reader = Sources(
            plan, filter: settings.reading.filter, limits: limits, ahead: ReadAhead())
        while !wanted.isEmpty, let batch = try reader.next() {
            for (record, number) in zip(batch.records, batch.places) {
                let place = Array("\(number) \(batch.source)".utf8)
                guard var left = wanted[place] else { continue }
                try evaluate(record, number, of: batch) { digest, found in
                    // A source that is given twice has several records with this name and place. The leaf
                    // identifies the record.
                    while let index = left.firstIndex(where: { $0.leaf == digest }) {
                        try body(left.remove(at: index), found())
                    }
                }
                wanted[place] = left.isEmpty ? nil : left
            }
        }
        guard let missing = wanted.values.joined().min(by: { $0.number < $1.number }) else { return }
        let name = AuditCounts.name(missing.place, of: missing.source)
        throw AuditError("\(name): the record or its result differs from the audit run")
    }

    /// Verifies a record again.
    private func evaluate(
        _ record: RawRecord, _ number: Int, of batch: Batch,
        _ body: (SHA256Digest, () throws -> FoundRecord) throws -> Void
    ) throws {
        let lines = LineBuffer()
        lines.hasher = LeafHasher(tree, source: batch.sourceNumber)
        lines.json.isStating = true
        let texts = try received(record, number, of: batch)
        var result = Result<Void, any Error>.success(())
        evaluator.examine(record, number, of: batch) { object in
            guard case .success = result else { return }
            result = Result {
                lines.json.removeAll()
                var answer = lines.answer(object, by: evaluator)
                lines.write(&answer, of: batch.source, isAsked: evaluator.question != nil)
                guard let digest = try lines.hasher?.hashes().first else { return }
                try body(digest) {
                    var statement = Array(lines.json.bytes.dropLast())
                    if answer.isNamedAsSource {
                        statement = AuditLeaf.statement(statement, withoutName: batch.source)
                    }
                    let path = answer.examination?.place ?? ""
                    var parts = texts.others.filter {
                        path.isExactly($0.place) || path.utf8.starts(with: ($0.place + "#").utf8)
                    }.map {
                        ProvenRecord.Part(
                            received: $0.text,
                            place: String(Substring(path.utf8.dropFirst($0.place.utf8.count))))
                    }
                    if let receipt = texts.receipt {
                        parts.append(ProvenRecord.Part(received: receipt, place: path))
                    }
                    let holdsNone = answer.examination == nil || answer.examination?.foreign != nil
                    return (
                        leaf: AuditLeaf(
                            source: UInt64(batch.sourceNumber), place: UInt64(number),
                            received: answer.examination?.received ?? .nothing, statement: statement),
                        origin: answer.origin, parts: holdsNone ? [] : parts
                    )
                }
            }
        }
        try result.get()
    }

    /// Returns the signed contents of a record: its receipt, and the members with names of the App Store
    /// Server API.
    private func received(
        _ record: RawRecord, _ place: Int, of batch: Batch
    ) throws -> (receipt: [UInt8]?, others: [(place: String, text: [UInt8])]) {
        let fields: RecordFields
        do throws(ReceiptError) {
            switch record {
            case .line(let range, let keys):
                guard let names = batch.names else { return (nil, []) }
                fields = try RecordFields(
                    line: range, of: batch.bytes.span, names, place: place, keys: keys, limits: limits)
            case .row(let range): fields = try RecordFields(row: range, of: batch, place: place)
            case .member(_, let range): return (Array(batch.bytes[range]), [])
            case .file(let file): return (try file.read(limit: limits.textBytes), [])
            case .refused: return (nil, [])
            }
        } catch {
            return (nil, [])
        }
        let others = fields.others.compactMap { element in
            element.text.map { (place: "#" + element.path, text: Array($0.utf8)) }
        }
        switch fields.receipt {
        case nil, .absent: return (nil, others)
        case .slice(let range): return (Array(batch.bytes[range]), others)
        case .bytes(let bytes): return (bytes, others)
        }
    }
}
