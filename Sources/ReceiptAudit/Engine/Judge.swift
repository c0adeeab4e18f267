import AppReceipt
public import OfferEligibility
import ReceiptJSON

/// What a catalogue adds to a verification: the rules, the products, and the instant that is asked about.
public struct EligibilityQuestion: Sendable {
    public let rules: OfferRules
    public let products: [String]
    public let asOf: EligibilityInstant

    /// Asks about every product of the rules' catalogue, in its order.
    public init(rules: OfferRules, asOf: EligibilityInstant) {
        self.rules = rules
        self.asOf = asOf
        products = rules.catalog.products.map(\.id)
    }
}

/// The answer to one record.
struct Answer: Sendable {
    let origin: ReceiptOrigin
    /// In its source, from 1 on.
    let place: Int
    /// Nil where the record says that it holds no receipt.
    let examination: Examination?
    /// The fields that the record had.
    let found: NamedFields
    /// Nil where no question was asked, or the receipt was refused.
    let verdicts: [ProductVerdict]?
    /// Of the file that the record is, where its digest is wanted.
    var input: InputFacts?

    /// Why there is none, where the machine was short of something: such a record would stay unreadable in a run that is
    /// resumed. Nil where there is an answer.
    func passingFailure(in source: String) -> String? {
        guard case .failure(let refusal)? = examination?.result, refusal.isPassing else { return nil }
        return AuditCounts.message(refusal, of: self, from: source)
    }
}

/// Takes records apart, verifies their receipts and asks the rules: the work of many threads.
struct Judge: Sendable {
    let examiner: Examiner
    let question: EligibilityQuestion?

    func answer(_ record: RawRecord, _ place: Int, of batch: Batch) -> Answer {
        do throws(Refusal) {
            let examined = try examine(record, place, of: batch)
            return Answer(
                origin: examined.origin, place: place, examination: examined.examination,
                found: examined.found,
                verdicts: verdicts(on: examined.examination), input: examined.input)
        } catch {
            return Answer(
                origin: .unreadable(line: place), place: place, examination: Examination(.failure(error)),
                found: [], verdicts: nil)
        }
    }

    private func verdicts(on examination: Examination?) -> [ProductVerdict]? {
        guard let question, case .success(let receipt)? = examination?.result else { return nil }
        return question.rules.verdicts(
            for: question.products, in: PurchaseHistory(receipt), asOf: question.asOf)
    }

    private struct Examined {
        let origin: ReceiptOrigin
        let examination: Examination?
        var found: NamedFields = []
        var input: InputFacts?
    }

    /// - Throws: ``Refusal`` with code `unreadable` where the record is none.
    private func examine(_ record: RawRecord, _ place: Int, of batch: Batch) throws(Refusal) -> Examined {
        switch record {
        case .line(let range):
            guard let names = batch.names else { throw Refusal(code: .unreadable, message: "not JSON") }
            return examine(
                try RecordFields(line: range, of: batch.bytes.span, names, place: place), of: batch)
        case .row(let range): return examine(try RecordFields(row: range, of: batch, place: place), of: batch)
        case .member(let path, let range):
            return Examined(
                origin: .source(path),
                examination: examiner.examine(unwrapping: batch.bytes.span.extracting(range)))
        case .file(let file): return examine(file, of: batch)
        case .refused(let path?, let refusal):
            return Examined(origin: .source(path), examination: Examination(.failure(refusal)))
        case .refused(nil, let refusal): throw refusal
        }
    }

    /// Reads a file, and examines what was read of it.
    private func examine(_ file: InputFile, of batch: Batch) -> Examined {
        let bytes: [UInt8]
        do throws(Refusal) {
            bytes = try file.read(limit: examiner.verifier.limits.textBytes)
        } catch {
            return Examined(origin: .source(file.source), examination: Examination(.failure(error)))
        }
        let digest = batch.isEvidence ? examiner.verifier.sha256(of: bytes) : nil
        return Examined(
            origin: .source(file.source), examination: examiner.examine(unwrapping: bytes.span),
            input: digest.map {
                InputFacts(
                    source: batch.source, path: file.source == batch.source ? nil : file.source,
                    bytes: bytes.count, sha256: $0)
            })
    }

    private func examine(_ fields: RecordFields, of batch: Batch) -> Examined {
        let examination: Examination? =
            switch fields.receipt {
            case .absent: nil
            case .slice(let range): examiner.examine(unwrapping: batch.bytes.span.extracting(range))
            case .bytes(let bytes): examiner.examine(unwrapping: bytes.span)
            }
        return Examined(origin: fields.origin, examination: examination, found: fields.found)
    }
}
