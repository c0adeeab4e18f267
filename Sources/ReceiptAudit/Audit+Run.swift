import AppReceipt
import ReceiptEvidence
import ReceiptExamination
import ReceiptJSON
import RecordSources
import StrictJSON

extension Audit {
    /// Reads all sources. Each batch goes through `work` on any thread and through `write` in the order of
    /// the input.
    /// - Parameters:
    ///   - known: The number of source records that were verified before. They are only decoded, go to
    ///     `recognize` instead of `write`, and have no leaf because they have no verdict.
    ///   - complete: The closure that replaces the leaf that `work` received. The leaves of a batch are hashed
    ///     together.
    func run<Item: Sendable>(
        _ plan: SourcePlan, jobs: Int, known: Int = 0, wantsLines: Bool = true,
        work: @escaping @Sendable (RecordAnswer, _ source: String, _ leaf: SHA256Digest?) -> Item,
        recognize: @escaping ([Item]) throws -> Void = { _ in },
        complete: @escaping @Sendable (inout Item, _ leaf: SHA256Digest) -> Void = { _, _ in },
        write: @escaping (LineBuffer?, [Item], _ leaves: [SHA256Digest], AuditCounts) throws -> Void,
        report: @escaping (Progress) -> Void
    ) throws -> AuditCounts {
        let ahead = ReadAhead(jobs: jobs)
        let reader = Sources(plan, filter: settings.reading.filter, limits: limits, ahead: ahead)
        let (evaluator, recognizer) = (evaluator, recognizer)
        let isAsked = evaluator.question != nil
        let (tree, isHashing) = (tree, isHashing)
        var counts = AuditCounts()
        var left = known
        let buffers = LineBuffers()
        let pipeline = Pipeline<(batch: Batch, known: Int), BatchResults<Item>>(
            jobs: jobs,
            read: {
                do {
                    if let batch = try reader.next() {
                        ahead.wait(for: batch.weight)
                        ahead.hold(batch.weight)
                        let part = min(left, batch.records.count)
                        left -= part
                        return (batch, part)
                    }
                } catch {
                    throw SourceError(description: "\(error)")
                }
                guard left == 0 else {
                    let message = "the sources have \(left) records fewer than the interrupted run had read"
                    throw SourceError(description: message)
                }
                return nil
            },
            work: { batch, known in
                var results = BatchResults<Item>(position: batch.position, weight: batch.weight)
                results.counts.leftOut = batch.leftOut
                results.counts.inputs = batch.input.map { [$0] } ?? []
                results.counts.emptySources = batch.isOfEmptySource ? [batch.source] : []
                results.counts.unreadFields = batch.unread
                results.counts.notes = batch.notes
                results.counts.subjectFields = batch.subjects
                let lines = buffers.borrow()
                lines.json.isStating = !wantsLines
                if isHashing, lines.hasher?.isOf(batch.sourceNumber) != true {
                    lines.hasher = LeafHasher(tree, source: batch.sourceNumber)
                }
                let (source, beginning) = (batch.source, results.counts)
                let examined = evaluator.examineTogether(batch, from: known)
                for (index, (record, place)) in zip(batch.records, batch.places).enumerated() {
                    let isKnown = index < known
                    let objects = isKnown ? nil : examined?[index - known]
                    // All answers to a record are kept, or none. A failure of the only one has no effect on the
                    // counts, whose copy would take time.
                    let isAlone = objects?.count == 1
                    let counts = isAlone ? nil : results.counts
                    let (items, again) = (results.items.count, results.known.count)
                    let end = lines.json.count
                    func take(_ object: ExaminedObject) {
                        guard results.failure == nil else { return }
                        var answer = lines.answer(object, by: isKnown ? recognizer : evaluator)
                        results.failure = answer.passingFailure(in: source)
                        guard results.failure == nil else { return }
                        guard !isKnown else {
                            results.counts.note(answer, from: source)
                            return results.known.append(work(answer, source, nil))
                        }
                        lines.write(&answer, of: source, isAsked: isAsked)
                        if !wantsLines { lines.json.removeAll() }
                        results.counts.add(answer, from: source)
                        results.items.append(work(answer, source, isHashing ? SHA256Digest() : nil))
                    }
                    if let objects {
                        objects.forEach(take)
                    } else {
                        (isKnown ? recognizer : evaluator).examine(record, place, of: batch, take)
                    }
                    if !isKnown, results.failure == nil, results.items.count == items {
                        results.counts.notSelected += 1
                    }
                    if results.failure != nil {
                        if let counts { results.counts = counts }
                        results.items.removeSubrange(items...)
                        lines.hasher?.keep(items)
                        results.known.removeSubrange(again...)
                        lines.json.remove(from: end)
                        break
                    }
                }
                do throws(ReceiptError) {
                    results.leaves = try lines.hasher?.hashes() ?? []
                    for (index, leaf) in results.leaves.enumerated() { complete(&results.items[index], leaf) }
                } catch {
                    results.failure = error.message
                    results.counts = beginning
                    results.items = []
                    lines.json.removeAll()
                }
                guard wantsLines else {
                    buffers.giveBack(lines)
                    return results
                }
                results.lines = lines
                return results
            },
            write: { results in
                var isWritten = false
                // If writing fails, the reader must not wait any longer.
                defer { if isWritten { ahead.release(results.weight) } else { ahead.end() } }
                if !results.known.isEmpty { try recognize(results.known) }
                if !results.items.isEmpty || results.counts.notSelected > 0 {
                    try write(results.lines, results.items, results.leaves, results.counts)
                }
                if let lines = results.lines { buffers.giveBack(lines) }
                if let failure = results.failure { throw SourceError(description: failure) }
                isWritten = true
                counts.add(results.counts)
                let isReadingAgain = results.items.isEmpty && !results.known.isEmpty
                report(
                    Progress(counts: counts, bytesRead: results.position, isReadingAgain: isReadingAgain))
            })
        try pipeline.run()
        counts.missingFields = missingFields(counts)
        let others = counts.unreadReceipts.sorted { $0.key < $1.key }.compactMap { source, receipts in
            receipts.message(
                of: source == "-" ? "standard input" : source, outside: "the field that was read")
        }
        counts.unreadFields = plan.unread + counts.unreadFields + others
        counts.notes.forEach(notify)
        counts.subjectFields = plan.subjects + counts.subjectFields
        return counts
    }

    /// Returns the names of the fields in the settings that no record contains.
    private func missingFields(_ counts: AuditCounts) -> [String] {
        let named: [(String?, NamedFields)] = [
            (settings.reading.columns.id, .id), (settings.reading.columns.receipt, .receipt),
            (settings.reading.columns.subject, .subject),
        ]
        return counts.records == 0
            ? [] : named.compactMap { name, field in counts.found.contains(field) ? nil : name }
    }
}

/// The results for one batch.
private struct BatchResults<Item: Sendable>: Sendable {
    let position: Int
    let weight: Int
    /// The lines, or nil if no lines are needed.
    var lines: LineBuffer?
    var known: [Item] = []
    var items: [Item] = []
    /// The leaves of `items`.
    var leaves: [SHA256Digest] = []
    var counts = AuditCounts()
    /// The reason why the run ends after these records: the machine lacked a resource.
    var failure: String?
}

extension LineBuffer {
    /// Applies the eligibility rules to an object, within the limit of its record.
    func answer(_ object: ExaminedObject, by evaluator: RecordEvaluator) -> RecordAnswer {
        if object.isFirst { limit = VerdictLimit() }
        return evaluator.answer(object, within: limit)
    }

    /// Writes an answer and, if there is a hasher, adds its leaf. An answer that exceeds the limit of its record
    /// becomes a refusal.
    func write(_ answer: inout RecordAnswer, of source: String, isAsked: Bool) {
        let start = json.count
        let name = answer.isNamedAsSource ? AuditLeaf.nameLength(source) : nil
        let refusal = json.answer(
            answer.examination, of: answer.origin, verdicts: answer.verdicts, isAsked: isAsked,
            within: &limit)
        if let refusal { answer.refuse(refusal) }
        json.withStatement(from: start) { first, second in
            hasher?.add(
                place: answer.place, answer.examination?.received ?? .nothing, first, second,
                withoutName: name)
        }
    }
}

extension MerkleTree {
    /// Appends leaves to the tree.
    func append(_ leaves: [SHA256Digest], to records: inout MerkleFrontier) throws(AuditError) {
        do throws(ReceiptError) {
            for leaf in leaves { try records.append(leaf, of: self) }
        } catch {
            throw AuditError(error.message)
        }
    }

    /// Returns the Merkle root in hexadecimal.
    func root(of records: MerkleFrontier) throws(AuditError) -> String {
        do throws(ReceiptError) {
            return try records.root(of: self).text
        } catch {
            throw AuditError(error.message)
        }
    }
}
