public import AppReceipt
public import OfferEligibility
public import ReceiptExamination
package import ReceiptJSON
public import StrictJSON

/// An examiner that answers lines of NDJSON one by one, like `audit --ndjson`. A line is `{"id": "…",
/// "receipt": "…", "subject": "…"}`, in which only the receipt is required.
public struct RecordExaminer: Sendable {
    private let examiner: Examiner
    private let question: EligibilityQuestion?
    /// Whether a line with the snapshot, for ``CustomerRequest``, follows each line.
    private let writesSnapshots: Bool
    private let limit: VerdictLimit

    /// Creates a record examiner.
    /// - Parameters:
    ///   - examiner: The examiner that verifies and applies the policy.
    ///   - question: The eligibility question about every genuine receipt, or nil if there is none.
    public init(_ examiner: Examiner, question: EligibilityQuestion? = nil) {
        self.init(examiner, question: question, writesSnapshots: false)
    }

    package init(
        _ examiner: Examiner, question: EligibilityQuestion?, writesSnapshots: Bool = false,
        limit: VerdictLimit = VerdictLimit()
    ) {
        (self.examiner, self.question, self.writesSnapshots) = (examiner, question, writesSnapshots)
        self.limit = limit
    }

    /// The maximum length of a line in bytes: a receipt's text and the JSON around it.
    public var longestLine: Int { Self.longestLine(examiner.verifier.limits) }

    package static func longestLine(_ limits: ReceiptLimits) -> Int { limits.textBytes + 1 << 16 }

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
                var limit = limit
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
        Examiner.checkTogether(examinations.compactMap { $0?.pending })
        var (number, limit) = (0, self.limit)
        for (index, name) in names.enumerated() {
            examinations[index]?.finish()
            if name.number != number { (number, limit) = (name.number, self.limit) }
            answer(examinations[index], of: name.origin, within: &limit, to: &json) {
                body($0, $1, name.number)
            }
        }
    }

    /// Divides lines into parts of a bounded size. A long line is a part of its own.
    package static func parts(of lines: [RecordLine]) -> [ArraySlice<RecordLine>] {
        var parts: [ArraySlice<RecordLine>] = []
        var (start, bytes) = (0, 0)
        for (index, line) in lines.enumerated() {
            let length = line.range?.count ?? 0
            if index > start, index - start == ReceiptVerifier.receiptsTogether || bytes + length > mostBytes
            {
                parts.append(lines[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += length
        }
        if start < lines.count { parts.append(lines[start...]) }
        return parts
    }

    /// The limit on the size of a part.
    private static var mostBytes: Int { 1 << 18 }

    private func examine(
        _ line: RecordLine, with examiner: Examiner, _ body: (ReceiptOrigin, Examination?) -> Void
    ) {
        let bytes = line.bytes.span
        let record: RecordFields
        do throws(ReceiptError) {
            guard let range = line.range, range.count <= longestLine else {
                throw ReceiptError(.unreadable, message: RecordFields.tooLong)
            }
            record = try RecordFields(
                line: range, of: bytes, .usual, place: line.number, limits: examiner.verifier.limits)
        } catch {
            let range = line.range.flatMap { $0.count <= longestLine ? $0 : nil }
            return body(.unreadable(line: line.number), examiner.refusal(error, of: range, bytes))
        }
        examiner.examine(record, of: bytes) { body(record.origin, $0) }
    }

    private func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, within limit: inout VerdictLimit,
        to json: inout JSONWriter, _ body: (borrowing JSONWriter, AnsweredLine) -> Void
    ) {
        // A response without objects contains nothing to verify.
        var examination = examination?.emptyList == nil ? examination : nil
        let start = json.count
        let refusal = json.answer(
            examination, of: origin,
            verdicts: question?.verdicts(on: examination?.object, isLimited: limit.isExceeded),
            isAsked: question != nil, within: &limit)
        if let refusal { examination = examination?.refused(refusal) }
        body(
            json,
            AnsweredLine(
                start: start, received: examination?.received ?? .nothing, refusal: examination?.refusal))
        if writesSnapshots { json.snapshot(examination, of: origin) }
    }
}
