public import AppReceipt
package import OfferEligibility

extension Examiner {
    /// Examines the contents of a record.
    /// - Parameters:
    ///   - bytes: The bytes that the record's receipt may be a slice of.
    ///   - body: The closure that receives each examination, or nil if the record states that it holds
    ///     nothing.
    package func examine(
        _ record: RecordFields, of bytes: Span<UInt8>, _ body: (Examination?) -> Void
    ) {
        // Each answer repeats the record's name, so many signed objects under a long name would inflate the
        // output.
        let length = record.origin.length - Self.shortName
        var repeated = 0
        func deliver(_ examination: Examination?) {
            guard repeated <= Self.repeatedNames else { return }
            repeated += max(0, length)
            guard repeated > Self.repeatedNames else { return body(examination) }
            let message = "too many signed objects for the length of the record's name"
            body(Examination(.failure(ReceiptError(.tooLarge, message: message))))
        }
        switch record.receipt {
        case nil: break
        case .absent: if record.others.isEmpty { deliver(nil) }
        case .slice(let range): examine(unwrapping: bytes.extracting(range), deliver)
        case .bytes(let text): examine(unwrapping: text.span, deliver)
        }
        var progress = ListingProgress()
        for element in record.others {
            guard repeated <= Self.repeatedNames else { return }
            // For an element that is not text, the leaf commits to the whole record.
            let text = element.text.map { Array($0.utf8) } ?? bytes.trimmed(record.whole)
            var digest: [UInt8]?
            examine(element, &progress) { (examination) throws(Never) in
                let isText = element.text != nil && !examination.isEnclosed
                if !isText, digest == nil { digest = verifier.sha256(of: text) }
                deliver(examination.received(as: isText ? examination.sha256 : digest))
            }
        }
    }

    /// Returns the examination of a record that cannot be parsed.
    /// - Parameter range: The record's bytes, or nil if the record is too long to be read.
    package func refusal(
        _ refusal: ReceiptError, of range: Range<Int>?, _ bytes: Span<UInt8>
    ) -> Examination {
        let examination = Examination(.failure(refusal))
        return range.map { examination.received(as: verifier.sha256(of: bytes.trimmed($0))) } ?? examination
    }

    /// The maximum size in bytes of an ID and a subject that may be repeated for every signed object.
    private static var shortName: Int { 256 }
    /// The maximum number of bytes beyond that size that the answers to one record may repeat.
    private static var repeatedNames: Int { 4 << 20 }
}

/// An examiner that answers lines of NDJSON one by one, like `audit --ndjson`. A line is `{"id": "…",
/// "receipt": "…", "subject": "…"}`, in which only the receipt is required.
public struct RecordExaminer: Sendable {
    private let examiner: Examiner
    private let question: EligibilityQuestion?
    /// Whether a line with the snapshot, for ``CustomerRequest``, follows each line.
    private let writesSnapshots: Bool

    /// Creates a record examiner.
    /// - Parameters:
    ///   - examiner: The examiner that verifies and applies the policy.
    ///   - question: The eligibility question about every genuine receipt, or nil if there is none.
    public init(_ examiner: Examiner, question: EligibilityQuestion? = nil) {
        self.init(examiner, question: question, writesSnapshots: false)
    }

    package init(_ examiner: Examiner, question: EligibilityQuestion?, writesSnapshots: Bool) {
        (self.examiner, self.question, self.writesSnapshots) = (examiner, question, writesSnapshots)
    }

    /// The maximum length of a line in bytes: a receipt's text and the JSON around it.
    public var longestLine: Int { examiner.verifier.limits.textBytes + 1 << 16 }

    /// Writes a line for each signed object of a record, and at least one line.
    /// - Parameters:
    ///   - line: The line without its line feed.
    ///   - number: The number of the line, from 1.
    ///   - json: The writer of the output.
    ///   - note: The closure that receives the refusal in each line, or nil if the line is not a refusal.
    public func answer(
        line: [UInt8], number: Int, to json: inout JSONWriter, _ note: (ReceiptError?) -> Void = { _ in }
    ) {
        answer([RecordLine(line, number: number)], to: &json) { _, line, _ in note(line.refusal) }
    }

    /// Writes the line for a record with more than ``longestLine`` bytes.
    public func answerTooLong(number: Int, to json: inout JSONWriter) {
        answer([RecordLine(nil, number: number)], to: &json) { _, _, _ in }
    }

    /// Writes a line for each signed object of several records, and at least one line for each record. The
    /// RSA signatures of the records are checked together. Their results are in memory at the same time, so
    /// callers pass parts from ``parts(of:)``.
    /// - Parameter body: The closure that receives each line after it was written and before its snapshot, and
    ///   the number of its record.
    package func answer(
        _ lines: some Collection<RecordLine>, to json: inout JSONWriter,
        _ body: (borrowing JSONWriter, AnsweredLine, _ number: Int) -> Void
    ) {
        guard lines.count > 1, let leavingSignatures = examiner.leavingSignatures else {
            for line in lines {
                var limit = VerdictLimit()
                examine(line, with: examiner) { origin, examination in
                    answer(examination, of: origin, within: &limit, to: &json) { body($0, $1, line.number) }
                }
            }
            return
        }
        var (names, examinations): ([(number: Int, origin: ReceiptOrigin)], [Examination?]) = ([], [])
        for line in lines {
            examine(line, with: leavingSignatures) { origin, examination in
                names.append((line.number, origin))
                examinations.append(examination)
            }
        }
        Examiner.finish(&examinations)
        var (number, limit) = (0, VerdictLimit())
        for (name, examination) in zip(names, examinations) {
            if name.number != number { (number, limit) = (name.number, VerdictLimit()) }
            answer(examination, of: name.origin, within: &limit, to: &json) { body($0, $1, name.number) }
        }
    }

    /// Divides lines into parts of a bounded size. A long line is a part of its own.
    package static func parts(of lines: [RecordLine]) -> [ArraySlice<RecordLine>] {
        var parts: [ArraySlice<RecordLine>] = []
        var (start, bytes) = (0, 0)
        for (index, line) in lines.enumerated() {
            let length = line.range?.count ?? 0
            if index > start, index - start == mostLines || bytes + length > mostBytes {
                parts.append(lines[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += length
        }
        if start < lines.count { parts.append(lines[start...]) }
        return parts
    }

    /// The limits on a part. Sixteen signatures are checked in two groups.
    private static var mostLines: Int { 16 }
    private static var mostBytes: Int { 1 << 18 }

    private func examine(
        _ line: RecordLine, with examiner: Examiner, _ body: (ReceiptOrigin, Examination?) -> Void
    ) {
        let bytes = line.bytes.span
        let record: RecordFields
        do throws(ReceiptError) {
            guard let range = line.range, range.count <= longestLine else { throw Self.tooLongALine }
            record = try RecordFields(
                line: range, of: bytes, FieldNames(), place: line.number, limits: examiner.verifier.limits)
        } catch {
            let range = line.range.flatMap { $0.count <= longestLine ? $0 : nil }
            return body(.unreadable(line: line.number), examiner.refusal(error, of: range, bytes))
        }
        examiner.examine(record, of: bytes) { body(record.origin, $0) }
    }

    private static var tooLongALine: ReceiptError { ReceiptError(.unreadable, message: tooLong) }

    /// The message for a record that is too long to be read.
    package static let tooLong = "longer than the limit of a record"

    private func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, within limit: inout VerdictLimit,
        to json: inout JSONWriter, _ body: (borrowing JSONWriter, AnsweredLine) -> Void
    ) {
        // A response without objects contains nothing to verify.
        var examination = examination?.emptyList == nil ? examination : nil
        let start = json.count
        examination = json.answer(
            examination, of: origin, verdicts: question?.verdicts(on: examination, within: limit),
            isAsked: question != nil, within: &limit)
        body(
            json,
            AnsweredLine(
                start: start, received: examination?.received ?? .nothing, refusal: examination?.refusal))
        if writesSnapshots { json.snapshot(examination, of: origin) }
    }
}

extension JSONWriter {
    /// Writes the line for one signed object of a record, or the line that states that there is none.
    /// - Parameter limit: The limit of the record. The line of an object that exceeds it is a refusal.
    /// - Returns: The examination that the line states.
    package mutating func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?,
        isAsked: Bool, within limit: inout VerdictLimit
    ) -> Examination? {
        defer { endLine() }
        guard let examination else {
            absence(of: origin, isAsked: isAsked)
            return nil
        }
        let start = count
        limit.bytes += verification(
            examination, of: origin, verdicts: verdicts, isAsked: isAsked,
            verdictBytes: VerdictLimit.maximumBytes - limit.bytes)
        guard verdicts != nil, limit.isExceeded else { return examination }
        remove(from: start)
        let refused = examination.refused(VerdictLimit.refusal)
        verification(refused, of: origin, isAsked: isAsked)
        return refused
    }
}
