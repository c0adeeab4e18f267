public import AppReceipt
package import OfferEligibility

extension Examiner {
    /// Examines whatever a record holds.
    /// - Parameters:
    ///   - bytes: those in which its receipt may be a stretch.
    ///   - body: is given nil where the record says that it holds nothing.
    package func examine(
        _ record: RecordFields, of bytes: Span<UInt8>, _ body: (SignedExamination?) -> Void
    ) {
        switch record.receipt {
        case nil: break
        case .absent: if record.others.isEmpty { body(nil) }
        case .slice(let range): examine(unwrapping: bytes.extracting(range), body)
        case .bytes(let text): examine(unwrapping: text.span, body)
        }
        for element in record.others {
            examine(element) { (examination) throws(Never) in body(examination) }
        }
    }
}

/// Answers lines of NDJSON one by one, as `audit --ndjson` does: `{"id": "…", "receipt": "…", "subject": "…"}`, of which
/// only the receipt must be there.
public struct RecordExaminer: Sendable {
    private let examiner: Examiner
    private let question: EligibilityQuestion?

    /// - Parameters:
    ///   - examiner: verifies, and makes the demands.
    ///   - question: is asked of every genuine receipt; nil asks nothing.
    public init(_ examiner: Examiner, question: EligibilityQuestion? = nil) {
        (self.examiner, self.question) = (examiner, question)
    }

    /// Bytes that a line may have: a receipt's text, and what stands around it.
    public var longestLine: Int { examiner.verifier.limits.textBytes + 1 << 16 }

    /// Writes a line for each signed object of a record, and one at least.
    /// - Parameters:
    ///   - line: without its end.
    ///   - number: of the line, from 1 on.
    ///   - json: what it is written to.
    ///   - note: is told of each line that it is no refusal, or which.
    public func answer(
        line: [UInt8], number: Int, to json: inout JSONWriter, _ note: (ReceiptError.Code?) -> Void = { _ in }
    ) {
        let record: RecordFields
        do throws(Refusal) {
            record = try RecordFields(
                line: line.indices, of: line.span, FieldNames(), place: number,
                limits: examiner.verifier.limits)
        } catch {
            note(error.code)
            return json.answer(SignedExamination(.failure(error)), of: .unreadable(line: number), question)
        }
        examiner.examine(record, of: line.span) { examination in
            json.answer(examination, of: record.origin, question)
            if case .failure(let refusal)? = examination?.result { note(refusal.code) } else { note(nil) }
        }
    }

    /// Writes the line for one that has more than ``longestLine`` bytes.
    public func answerTooLong(number: Int, to json: inout JSONWriter) {
        let refusal = Refusal(code: .unreadable, message: RecordExaminer.tooLong)
        json.answer(SignedExamination(.failure(refusal)), of: .unreadable(line: number), question)
    }

    /// What is said of it.
    package static let tooLong = "longer than a record may be"
}

extension JSONWriter {
    fileprivate mutating func answer(
        _ examination: SignedExamination?, of origin: ReceiptOrigin, _ question: EligibilityQuestion?
    ) {
        answer(
            examination, of: origin, verdicts: question?.verdicts(on: examination), isAsked: question != nil)
    }

    /// Writes the line that answers one signed object of a record, or that there is none.
    package mutating func answer(
        _ examination: SignedExamination?, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?,
        isAsked: Bool
    ) {
        if let examination {
            verification(examination, of: origin, verdicts: verdicts, isAsked: isAsked)
        } else {
            absence(of: origin, isAsked: isAsked)
        }
        endLine()
    }
}
