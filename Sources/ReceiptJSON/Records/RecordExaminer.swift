import AppReceipt
package import OfferEligibility

extension Examiner {
    /// Examines whatever a record holds.
    /// - Parameters:
    ///   - bytes: those in which its receipt may be a stretch.
    ///   - body: is given nil where the record says that it holds nothing.
    package func examine(
        _ record: RecordFields, of bytes: Span<UInt8>, _ body: (SignedExamination?) -> Void
    ) {
        // Each answer names the record: a long name above many signed objects would be told once for each.
        let length = record.origin.length - Self.shortName
        var repeated = 0
        func tell(_ examination: SignedExamination?) {
            guard repeated <= Self.repeatedNames else { return }
            repeated += max(0, length)
            guard repeated > Self.repeatedNames else { return body(examination) }
            let message = "more signed objects than a record of so long a name may hold"
            body(SignedExamination(.failure(Refusal(code: .tooLarge, message: message))))
        }
        switch record.receipt {
        case nil: break
        case .absent: if record.others.isEmpty { tell(nil) }
        case .slice(let range): examine(unwrapping: bytes.extracting(range), tell)
        case .bytes(let text): examine(unwrapping: text.span, tell)
        }
        var progress = ListingProgress()
        for element in record.others {
            guard repeated <= Self.repeatedNames else { return }
            // What is no text is bound with all of its record.
            let text = element.text.map { Array($0.utf8) } ?? bytes.trimmed(record.whole)
            var digest: [UInt8]?
            examine(element, &progress) { (examination) throws(Never) in
                let isText = element.text != nil && !examination.isEnclosed
                if !isText, digest == nil { digest = verifier.sha256(of: text) }
                tell(examination.received(as: isText ? examination.sha256 : digest))
            }
        }
    }

    /// A record that cannot be taken apart.
    /// - Parameter range: nil where it is longer than a record may be, and not read.
    package func refusal(
        _ refusal: Refusal, of range: Range<Int>?, _ bytes: Span<UInt8>
    ) -> SignedExamination {
        let examination = SignedExamination(.failure(refusal))
        return range.map { examination.received(as: verifier.sha256(of: bytes.trimmed($0))) } ?? examination
    }

    /// Bytes of an id and a subject that may be told as often as there are signed objects.
    private static var shortName: Int { 256 }
    /// Bytes beyond that which the answers to one record may repeat.
    private static var repeatedNames: Int { 4 << 20 }
}

/// Answers lines of NDJSON one by one, as `audit --ndjson` does: `{"id": "…", "receipt": "…", "subject": "…"}`, of which
/// only the receipt must be there.
public struct RecordExaminer: Sendable {
    private let examiner: Examiner
    private let question: EligibilityQuestion?
    /// Whether behind each line there is one of what is kept, for ``CustomerRequest``.
    private let isKeeping: Bool

    /// - Parameters:
    ///   - examiner: verifies, and makes the demands.
    ///   - question: is asked of every genuine receipt; nil asks nothing.
    public init(_ examiner: Examiner, question: EligibilityQuestion? = nil) {
        self.init(examiner, question: question, isKeeping: false)
    }

    package init(_ examiner: Examiner, question: EligibilityQuestion?, isKeeping: Bool) {
        (self.examiner, self.question, self.isKeeping) = (examiner, question, isKeeping)
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
        line: [UInt8], number: Int, to json: inout JSONWriter, _ note: (Refusal?) -> Void = { _ in }
    ) {
        answer(line: line.indices, of: line.span, number: number, to: &json) { note($1.refusal) }
    }

    /// - Parameters:
    ///   - line: a stretch of `bytes`.
    ///   - body: is lent each line when it is written, before what is kept of it.
    package func answer(
        line: Range<Int>, of bytes: Span<UInt8>, number: Int, to json: inout JSONWriter,
        _ body: (borrowing JSONWriter, AnsweredLine) -> Void
    ) {
        let record: RecordFields
        do throws(Refusal) {
            guard line.count <= longestLine else { throw Self.tooLongALine }
            record = try RecordFields(
                line: line, of: bytes, FieldNames(), place: number, limits: examiner.verifier.limits)
        } catch {
            let examination = examiner.refusal(error, of: line.count <= longestLine ? line : nil, bytes)
            return answer(examination, of: .unreadable(line: number), to: &json, body)
        }
        examiner.examine(record, of: bytes) { answer($0, of: record.origin, to: &json, body) }
    }

    /// Writes the line for one that has more than ``longestLine`` bytes.
    public func answerTooLong(number: Int, to json: inout JSONWriter) {
        answerTooLong(number: number, to: &json) { _, _ in }
    }

    package func answerTooLong(
        number: Int, to json: inout JSONWriter, _ body: (borrowing JSONWriter, AnsweredLine) -> Void
    ) {
        let examination = SignedExamination(.failure(Self.tooLongALine))
        answer(examination, of: .unreadable(line: number), to: &json, body)
    }

    private static var tooLongALine: Refusal { Refusal(code: .unreadable, message: tooLong) }

    /// What is said of it.
    package static let tooLong = "longer than a record may be"

    private func answer(
        _ examination: SignedExamination?, of origin: ReceiptOrigin, to json: inout JSONWriter,
        _ body: (borrowing JSONWriter, AnsweredLine) -> Void
    ) {
        // An answer without objects holds nothing to be verified.
        let examination = examination?.emptyList == nil ? examination : nil
        let start = json.count
        json.answer(
            examination, of: origin, verdicts: question?.verdicts(on: examination), isAsked: question != nil)
        let refusal: Refusal? = if case .failure(let refusal)? = examination?.result { refusal } else { nil }
        body(
            json,
            AnsweredLine(start: start, received: examination?.received ?? .nothing, refusal: refusal))
        if isKeeping { json.kept(examination, of: origin) }
    }
}

extension JSONWriter {
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
