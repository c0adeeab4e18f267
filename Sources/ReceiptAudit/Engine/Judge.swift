import AppReceipt
import OfferEligibility
import ReceiptJSON

/// The answer to one record, or to one of the signed objects in it.
struct Answer: Sendable {
    let origin: ReceiptOrigin
    /// Of the record in its source, from 1 on.
    let place: Int
    /// Nil where the record says that it holds no receipt, or is an answer without objects.
    let examination: SignedExamination?
    /// The answer without objects that the record is.
    let emptyList: APIAnswer.PurchaseList?
    /// The fields that the record had.
    let found: NamedFields
    /// Nil where no question was asked, or nothing was verified that tells of purchases.
    let verdicts: [ProductVerdict]?
    /// Of the file that the record is, where its digest is wanted.
    var input: InputFacts?
    /// Whether the record is called as its source is.
    var isNamedAsSource = false
    /// Whether it is the first of its record.
    let isFirst: Bool

    /// Why there is none, where the machine was short of something: such a record would stay unreadable in a run that is
    /// resumed. Nil where there is an answer.
    func passingFailure(in source: String) -> String? {
        guard case .failure(let refusal)? = examination?.result, refusal.isPassing else { return nil }
        return AuditCounts.message(refusal, of: self, from: source)
    }
}

/// Takes records apart, verifies what is signed in them and asks the rules: the work of many threads.
struct Judge: Sendable {
    let examiner: Examiner
    let question: EligibilityQuestion?

    /// - Parameter body: is given an answer for each signed object of the record, and one at least.
    func answer(_ record: RawRecord, _ place: Int, of batch: Batch, _ body: (Answer) -> Void) {
        var isFirst = true
        func give(
            _ origin: ReceiptOrigin, _ examination: SignedExamination?, found: NamedFields = [],
            input: InputFacts? = nil, isNamedAsSource: Bool = false
        ) {
            let emptyList = examination?.emptyList
            let examination = emptyList == nil ? examination : nil
            body(
                Answer(
                    origin: origin, place: place, examination: examination, emptyList: emptyList,
                    found: found,
                    verdicts: question?.verdicts(on: examination), input: isFirst ? input : nil,
                    isNamedAsSource: isNamedAsSource, isFirst: isFirst))
            isFirst = false
        }
        do throws(Refusal) {
            switch record {
            case .line(let range):
                guard let names = batch.names else { throw Refusal(code: .unreadable, message: "not JSON") }
                let line = try RecordFields(
                    line: range, of: batch.bytes.span, names, place: place, limits: examiner.verifier.limits)
                examiner.examine(line, of: batch.bytes.span) { give(line.origin, $0, found: line.found) }
            case .row(let range):
                let row = try RecordFields(row: range, of: batch, place: place)
                examiner.examine(row, of: batch.bytes.span) { give(row.origin, $0, found: row.found) }
            case .member(let path, let range):
                examiner.examine(unwrapping: batch.bytes.span.extracting(range)) { give(.source(path), $0) }
            case .file(let file):
                let origin = ReceiptOrigin.source(file.source)
                let isSource = file.isNamedAs(batch.source)
                let bytes: [UInt8]
                do throws(Refusal) {
                    bytes = try file.read(limit: examiner.verifier.limits.textBytes)
                } catch {
                    return give(
                        origin, SignedExamination(.failure(error)), isNamedAsSource: isSource)
                }
                let input = facts(of: file, bytes, in: batch)
                examiner.examine(unwrapping: bytes.span) {
                    give(origin, $0, input: input, isNamedAsSource: isSource)
                }
            case .refused(let path, let refusal):
                let origin = path.map { ReceiptOrigin.source($0) } ?? .unreadable(line: place)
                give(origin, SignedExamination(.failure(refusal)))
            }
        } catch {
            let range: Range<Int>? =
                switch record {
                case .line(let range), .row(let range): range
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
