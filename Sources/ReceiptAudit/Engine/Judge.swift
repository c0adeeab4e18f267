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
    let examination: Examination
    /// Nil where no question was asked, or the receipt was refused.
    let verdicts: [ProductVerdict]?
    /// Of the file that the record is, where its digest is wanted.
    var input: InputFacts?
}

/// Takes records apart, verifies their receipts and asks the rules: the work of many threads.
struct Judge: Sendable {
    let examiner: Examiner
    let question: EligibilityQuestion?
    let names: FieldNames

    func answer(_ record: RawRecord, _ place: Int, of batch: Batch) -> Answer {
        do throws(Refusal) {
            if batch.isEvidence, case .file(let file) = record {
                return answer(file, place, of: batch)
            }
            let (origin, examination) = try examine(record, of: batch)
            return Answer(
                origin: origin, place: place, examination: examination, verdicts: verdicts(on: examination))
        } catch {
            return Answer(
                origin: .unreadable(line: place), place: place, examination: Examination(.failure(error)),
                verdicts: nil)
        }
    }

    private func verdicts(on examination: Examination) -> [ProductVerdict]? {
        guard let question, case .success(let receipt) = examination.result else { return nil }
        return question.rules.verdicts(
            for: question.products, in: PurchaseHistory(receipt), asOf: question.asOf)
    }

    /// The answer to a file, with what was read of it.
    private func answer(_ file: InputFile, _ place: Int, of batch: Batch) -> Answer {
        var input: InputFacts?
        let examination: Examination
        do throws(Refusal) {
            let bytes = try file.read(limit: examiner.verifier.limits.textBytes)
            examination = examiner.examine(bytes)
            input = examiner.verifier.sha256(of: bytes).map {
                InputFacts(
                    source: batch.source, path: file.source == batch.source ? nil : file.source,
                    bytes: bytes.count, sha256: $0)
            }
        } catch {
            examination = Examination(.failure(error))
        }
        return Answer(
            origin: .source(file.source), place: place, examination: examination,
            verdicts: verdicts(on: examination), input: input)
    }

    /// - Throws: ``Refusal`` with code `unreadable` where the record is none.
    private func examine(
        _ record: RawRecord, of batch: Batch
    ) throws(Refusal) -> (ReceiptOrigin, Examination) {
        switch record {
        case .line(let range):
            let fields = try RecordFields(line: range, of: batch.bytes.span, names)
            return (fields.origin, examine(fields.receipt, of: batch))
        case .row(let range):
            let fields = try RecordFields(row: range, of: batch)
            return (fields.origin, examine(fields.receipt, of: batch))
        case .member(let path, let range):
            return (.source(path), examiner.examine(batch.bytes.span.extracting(range)))
        case .file(let file):
            return (.source(file.source), examiner.examine(file))
        case .refused(let path?, let refusal): return (.source(path), Examination(.failure(refusal)))
        case .refused(nil, let refusal): throw refusal
        }
    }

    private func examine(_ receipt: RecordFields.Receipt, of batch: Batch) -> Examination {
        switch receipt {
        case .slice(let range): examiner.examine(batch.bytes.span.extracting(range))
        case .bytes(let bytes): examiner.examine(bytes.span)
        }
    }
}

extension RecordFields {
    /// Reads a row of CSV.
    /// - Throws: a ``Refusal`` with code `unreadable`.
    init(row range: Range<Int>, of batch: Batch) throws(Refusal) {
        guard let columns = batch.columns, let row = CSVRow(batch.bytes, range, keeping: columns.count) else {
            throw Refusal(code: .unreadable, message: "not CSV: a quote in the wrong place, or not closed")
        }
        guard row.count == columns.count else {
            let message = "\(row.count) fields, where there are \(columns.count) columns"
            throw Refusal(code: .unreadable, message: message)
        }
        func text(_ column: Int) throws(Refusal) -> String {
            guard let text = String(validating: row.fields[column], as: UTF8.self) else {
                throw Refusal(code: .unreadable, message: "column \(column + 1) is not UTF-8")
            }
            guard text.utf8.count <= Self.longestName else { throw .tooLong }
            return text
        }
        let id = try text(columns.id)
        guard !id.isEmpty else { throw Refusal(code: .unreadable, message: "the id is empty") }
        let subject = try columns.subject.map { column throws(Refusal) in try text(column) }
        self.init(
            origin: .record(id: id, subject: subject?.isEmpty == true ? nil : subject),
            receipt: .bytes(Array(row.fields[columns.receipt])))
    }
}
