import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources

/// An evaluator that parses records, verifies their signed objects and applies the eligibility rules. Many
/// threads use it.
struct RecordEvaluator: Sendable {
    let examiner: Examiner
    let question: EligibilityQuestion?

    /// Examines a record.
    /// - Parameter body: The closure that receives each signed object of the record, and at least one object.
    ///   It receives none for a record that the settings do not select.
    func examine(_ record: RawRecord, _ place: Int, of batch: Batch, _ body: (ExaminedObject) -> Void) {
        examine(record, place, of: batch, with: examiner, body)
    }

    /// Finishes the examination of an object, which moves to the answer, and applies the eligibility rules.
    /// - Parameter limit: The limit of the object's record.
    func answer(_ object: ExaminedObject, within limit: VerdictLimit) -> RecordAnswer {
        var examination = object.examination.take()
        examination?.finish()
        let emptyList = examination?.emptyList
        if emptyList != nil { examination = nil }
        let verdicts = question?.verdicts(on: examination?.object, isLimited: limit.isExceeded)
        let otherApp = examination?.refusal.flatMap(examiner.otherApp)
        return RecordAnswer(
            origin: object.origin, place: object.place, examination: consume examination,
            emptyList: emptyList, found: object.found, verdicts: verdicts, input: object.input,
            otherApp: otherApp, kept: object.kept, unreadField: object.unreadField,
            isNamedAsSource: object.isNamedAsSource, isFirst: object.isFirst)
    }

    /// Examines the records of a batch from an index on, and checks their signatures together.
    /// - Returns: The objects of each record, for ``answer(_:within:)``. Nil if this saves no time.
    func examineTogether(_ batch: Batch, from start: Int) -> [ArraySlice<ExaminedObject>]? {
        guard batch.records.count - start > 1, let leavingSignatures = examiner.leavingSignatures else {
            return nil
        }
        var (objects, ends): ([ExaminedObject], [Int]) = ([], [])
        objects.reserveCapacity(batch.records.count - start)
        ends.reserveCapacity(batch.records.count - start)
        for index in start..<batch.records.count {
            examine(batch.records[index], batch.places[index], of: batch, with: leavingSignatures) {
                objects.append($0)
            }
            ends.append(objects.count)
        }
        Examiner.checkTogether(objects.compactMap { $0.examination?.pending })
        return zip([0] + ends, ends).map { objects[$0..<$1] }
    }

    private func examine(
        _ record: RawRecord, _ place: Int, of batch: Batch, with examiner: Examiner,
        _ body: (ExaminedObject) -> Void
    ) {
        var isFirst = true
        func give(
            _ origin: ReceiptOrigin, _ examination: Examination?, found: NamedFields = [],
            kept: [UInt8]? = nil, unreadField: String? = nil, input: InputFacts? = nil,
            isNamedAsSource: Bool = false
        ) {
            body(
                ExaminedObject(
                    origin: origin, place: place, examination: examination, found: found, kept: kept,
                    unreadField: unreadField, input: isFirst ? input : nil,
                    isNamedAsSource: isNamedAsSource, isFirst: isFirst))
            isFirst = false
        }
        do throws(ReceiptError) {
            switch record {
            case .line(let range, let keys):
                guard let names = batch.names else { throw ReceiptError(.unreadable, message: "not JSON") }
                let line = try RecordFields(
                    line: range, of: batch.bytes.span, names, place: place, keys: keys,
                    limits: examiner.verifier.limits)
                guard line.isSelected else { return }
                examiner.examine(line, of: batch.bytes.span) {
                    give(line.origin, $0, found: line.found, kept: line.kept, unreadField: line.unreadField)
                }
            case .row(let range):
                let row = try RecordFields(row: range, of: batch, place: place)
                guard row.isSelected else { return }
                examiner.examine(row, of: batch.bytes.span) {
                    give(row.origin, $0, found: row.found, kept: row.kept, unreadField: row.unreadField)
                }
            case .member(let path, let range):
                examiner.examine(unwrapping: batch.bytes.span.extracting(range)) { give(.source(path), $0) }
            case .file(let file):
                let origin = ReceiptOrigin.source(file.source)
                let isSource = file.isNamedAs(batch.source)
                let bytes: [UInt8]
                do throws(ReceiptError) {
                    bytes = try file.read(limit: examiner.verifier.limits.textBytes)
                } catch {
                    return give(
                        origin, Examination(.failure(error)), isNamedAsSource: isSource)
                }
                let input = facts(of: file, bytes, in: batch)
                examiner.examine(unwrapping: bytes.span) {
                    give(origin, $0, input: input, isNamedAsSource: isSource)
                }
            case .refused(let path, let refusal):
                let origin = path.map { ReceiptOrigin.source($0) } ?? .unreadable(line: place)
                give(origin, Examination(.failure(refusal)))
            }
        } catch {
            let range: Range<Int>? =
                switch record {
                case .line(let range, _), .row(let range): range
                case .member, .file, .refused: nil
                }
            give(.unreadable(line: place), examiner.refusal(error, of: range, batch.bytes.span))
        }
    }

    private func facts(of file: InputFile, _ bytes: [UInt8], in batch: Batch) -> InputFacts? {
        let digest = batch.isEvidence ? examiner.verifier.sha256(of: bytes) : nil
        return digest.map {
            InputFacts(
                source: batch.source, path: file.source == batch.source ? nil : file.source,
                bytes: bytes.count, sha256: $0)
        }
    }
}
