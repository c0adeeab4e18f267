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

/// The answer to one record, or to one of the signed objects in it.
struct Answer: Sendable {
    let origin: ReceiptOrigin
    /// Of the record in its source, from 1 on.
    let place: Int
    /// Nil where the record says that it holds no receipt.
    let examination: SignedExamination?
    /// The fields that the record had.
    let found: NamedFields
    /// Nil where no question was asked, or nothing was verified that tells of purchases.
    let verdicts: [ProductVerdict]?
    /// Of the file that the record is, where its digest is wanted.
    var input: InputFacts?
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
            input: InputFacts? = nil
        ) {
            body(
                Answer(
                    origin: origin, place: place, examination: examination, found: found,
                    verdicts: verdicts(on: examination), input: isFirst ? input : nil, isFirst: isFirst))
            isFirst = false
        }
        func refuse(_ origin: ReceiptOrigin, _ refusal: Refusal) {
            give(origin, SignedExamination(.failure(refusal)))
        }
        do throws(Refusal) {
            switch record {
            case .line(let range):
                guard let names = batch.names else { throw Refusal(code: .unreadable, message: "not JSON") }
                let line = try RecordFields(
                    line: range, of: batch.bytes.span, names, place: place, limits: examiner.verifier.limits)
                examine(line, of: batch) { give(line.origin, $0, found: line.found) }
            case .row(let range):
                let row = try RecordFields(row: range, of: batch, place: place)
                examine(row, of: batch) { give(row.origin, $0, found: row.found) }
            case .member(let path, let range):
                examiner.examine(unwrapping: batch.bytes.span.extracting(range)) { give(.source(path), $0) }
            case .file(let file):
                let origin = ReceiptOrigin.source(file.source)
                let bytes: [UInt8]
                do throws(Refusal) {
                    bytes = try file.read(limit: examiner.verifier.limits.textBytes)
                } catch {
                    return refuse(origin, error)
                }
                let input = facts(of: file, bytes, in: batch)
                examiner.examine(unwrapping: bytes.span) { give(origin, $0, input: input) }
            case .refused(let path?, let refusal): refuse(.source(path), refusal)
            case .refused(nil, let refusal): throw refusal
            }
        } catch {
            refuse(.unreadable(line: place), error)
        }
    }

    /// One purchase or all of them; what tells of none leaves nothing to be judged by itself.
    private func verdicts(on examination: SignedExamination?) -> [ProductVerdict]? {
        guard let question, case .success(let object)? = examination?.result else { return nil }
        let history: PurchaseHistory? =
            switch object {
            case .receipt(let receipt): PurchaseHistory(receipt)
            case .transaction, .transactionReceipt: try? PurchaseHistory(evidence: [object])
            case .renewalInfo, .appTransaction, .notification: nil
            }
        return history.map {
            question.rules.verdicts(for: question.products, in: $0, asOf: question.asOf)
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

    /// - Parameter body: is given nil where the record says that it holds nothing.
    private func examine(_ fields: RecordFields, of batch: Batch, _ body: (SignedExamination?) -> Void) {
        switch fields.receipt {
        case nil: break
        case .absent: if fields.others.isEmpty { body(nil) }
        case .slice(let range): examiner.examine(unwrapping: batch.bytes.span.extracting(range), body)
        case .bytes(let bytes): examiner.examine(unwrapping: bytes.span, body)
        }
        for element in fields.others {
            examiner.examine(element) { (examination) throws(Never) in body(examination) }
        }
    }
}
