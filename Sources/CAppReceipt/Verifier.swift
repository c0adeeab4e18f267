import AppReceipt
import CAppReceiptBoundary
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import ReceiptServices
import StrictJSON
import SystemLibrary

/// The object behind a handle.
final class Verifier: Sendable {
    private let shards: [Shard]
    /// The maximum length of an input, in bytes. Longer inputs are refused unread.
    let maximumInputBytes: Int
    /// The maximum length of a record, in bytes. Longer records are refused unread.
    let maximumRecordBytes: Int
    private let eligibility: EligibilityEndpoint
    /// The question about records and customers, or nil if each call creates one for the present time.
    private let question: EligibilityQuestion?
    private let rulesAtPresent: OfferRules?
    private let isKeepingEvidence: Bool
    /// The number of the records' source, or nil if the caller wants no leaves.
    private let source: Int?
    /// The endpoint, or the reason why there is none.
    private let verifyReceipt: Result<VerifyReceiptEndpoint, BoundaryFailure>

    init(_ settings: Settings) throws(BoundaryFailure) {
        do throws(ReceiptError) {
            var shards: [Shard] = []
            for _ in 0..<Shard.count { shards.append(try Shard(settings)) }
            self.shards = shards
            let examiner = shards[0].examiner
            let verifier = examiner.verifier
            maximumInputBytes = verifier.limits.textBytes
            maximumRecordBytes = RecordExaminer(examiner).longestLine
            var endpoint = EligibilityEndpoint(verifier, policy: settings.policy)
            (endpoint.catalog, endpoint.policies) = (settings.catalog, settings.policies)
            eligibility = endpoint
            let rules = settings.catalog.map { OfferRules(catalog: $0, policies: settings.policies) }
            question = settings.recordsAsOf.flatMap { asOf in
                rules.map { EligibilityQuestion(rules: $0, asOf: .date(asOf)) }
            }
            rulesAtPresent = question == nil ? rules : nil
            (isKeepingEvidence, source) = (settings.isKeepingEvidence, settings.recordsSource)
            verifyReceipt = try settings.verifyReceiptEndpoint(verifier)
        } catch {
            throw error.isTransient ? .unavailable : .badSettings("roots: \(error.message)")
        }
    }

    private var shard: Shard { shards[Int(appreceipt_boundary_thread() % UInt32(Shard.count))] }

    /// Verifies every signed object of an input.
    /// - Parameter input: the input, or nil if it is too long.
    func verify(_ input: [UInt8]?) -> BoundaryAnswer {
        let shard = shard
        return shard.writers.lend { json in
            var code = APPRECEIPT_OK
            json.results(&code) { examine(input, with: shard.examiner, $0) }
            return BoundaryAnswer(code, json.bytes)
        }
    }

    /// The maximum number of inputs of one call.
    static let maximumInputs = 1 << 12
    /// The maximum total length of several inputs, in bytes.
    static let maximumBytesOfInputs = 1 << 20

    /// Verifies several inputs.
    /// - Parameters:
    ///   - lengths: the lengths of the inputs, in bytes.
    ///   - input: returns the input at an index, or nil if it is too long.
    func verify(
        lengths: [Int], _ input: (Int) throws(BoundaryFailure) -> [UInt8]?
    ) throws(BoundaryFailure) -> BoundaryAnswer {
        var bytes = 0
        for length in lengths where lengths.count > 1 {
            // A length above `Int.max` is negative here.
            guard 0...(Self.maximumBytesOfInputs - bytes) ~= length else {
                throw .badRequest(
                    "lengths: more than the limit of \(Self.maximumBytesOfInputs) bytes in total")
            }
            bytes += length
        }
        let shard = shard
        return try shard.writers.lend { json throws(BoundaryFailure) in
            var code = APPRECEIPT_OK
            var memoryCheck = AnswerMemoryCheck(forInputOf: bytes)
            guard lengths.count > 1, let leavingSignatures = shard.examiner.leavingSignatures else {
                for index in lengths.indices {
                    try memoryCheck.require(json.count)
                    let input = try input(index)
                    json.results(&code) { examine(input, with: shard.examiner, $0) }
                    json.endLine()
                }
                return BoundaryAnswer(code, json.bytes)
            }
            var next = 0
            while next < lengths.count {
                try memoryCheck.require(json.count)
                var (examinations, ends, size): ([Examination?], [Int], Int) = ([], [], 0)
                while next < lengths.count, ends.count < ReceiptVerifier.receiptsTogether,
                    size < Self.bytesTogether
                {
                    let input = try input(next)
                    examine(input, with: leavingSignatures) { examinations.append($0) }
                    ends.append(examinations.count)
                    (next, size) = (next + 1, size + (input?.count ?? 0))
                }
                Examiner.checkTogether(examinations.compactMap { $0?.pending })
                for index in examinations.indices { examinations[index]?.finish() }
                for (first, end) in zip([0] + ends, ends) {
                    try memoryCheck.require(json.count)
                    json.results(&code) { examinations[first..<end].compactMap(\.self).forEach($0) }
                    json.endLine()
                }
            }
            return BoundaryAnswer(code, json.bytes)
        }
    }

    /// The maximum size of inputs that are verified together. More results in memory cost more than the checks of
    /// their signatures save.
    private static let bytesTogether = 1 << 17

    private func examine(_ input: [UInt8]?, with examiner: Examiner, _ body: (Examination) -> Void) {
        guard let input else {
            // The command line reports the same for an input that it does not read to the end.
            let refusal = ReceiptError(.tooLarge, message: "more than \(maximumInputBytes) bytes")
            return body(Examination(.failure(refusal)))
        }
        examiner.examine(signedObjects: input, body)
    }

    /// The question for the current call.
    private var questionAtHand: EligibilityQuestion? {
        question ?? rulesAtPresent.map { EligibilityQuestion(rules: $0, asOf: .clock(.now)) }
    }

    private func recordExaminer(in shard: Shard) -> RecordExaminer {
        RecordExaminer(shard.examiner, question: questionAtHand, writesSnapshots: isKeepingEvidence)
    }

    /// The maximum total length of records answered together, in bytes. Some answers are a hundred times as
    /// long as their records.
    static let maximumRecordsBytes = 1 << 20
    /// The maximum length of a single record in such a call, in bytes. It exceeds the limit on records, so
    /// that a long record gets an answer.
    static let maximumLoneRecordBytes = 32 << 20

    /// Answers a record.
    /// - Parameter record: the record, or nil if it is too long.
    func answer(record: [UInt8]?, number: Int) throws(BoundaryFailure) -> BoundaryAnswer {
        let shard = shard
        let examiner = recordExaminer(in: shard)
        var json = JSONWriter()
        var notes = RecordNotes(shard.examiner.verifier, source: source)
        examiner.answer([RecordLine(record, number: number)], to: &json) {
            notes.add($1, of: $0, number: $2)
        }
        return try notes.answer(json)
    }

    /// Answers consecutive records.
    /// - Parameters:
    ///   - records: the lines, or nil if they are too long.
    ///   - number: the number of the first line. Becomes the number of the line after the last.
    func answer(records: [UInt8]?, number: inout Int) throws(BoundaryFailure) -> BoundaryAnswer {
        guard let records,
            records.count <= Self.maximumRecordsBytes || records.lineEnd(from: 0) >= records.count - 1
        else {
            throw .badRequest(
                "records: more than the limit of \(Self.maximumRecordsBytes) bytes for several records")
        }
        let shard = shard
        let examiner = recordExaminer(in: shard)
        var json = JSONWriter()
        var notes = RecordNotes(shard.examiner.verifier, source: source)
        var (start, place) = (0, number)
        var memoryCheck = AnswerMemoryCheck(forInputOf: records.count)
        var lines: [RecordLine] = []
        while start < records.count {
            let end = records.lineEnd(from: start)
            let isTooLong = end - start > examiner.longestLine
            if isTooLong || !records[start..<end].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                lines.append(RecordLine(start..<end, of: records, number: place))
            }
            (start, place) = (end + 1, place + 1)
            // An array of all lines would also take memory, and no check covers that memory.
            guard lines.count == Self.linesInMemory || start >= records.count else { continue }
            for part in RecordExaminer.parts(of: lines) {
                examiner.answer(part, to: &json) { notes.add($1, of: $0, number: $2) }
                try memoryCheck.require(json.count + notes.count)
            }
            lines = []
        }
        let answer = try notes.answer(json)
        number = place
        return answer
    }

    private static let linesInMemory = 64

    /// Answers an eligibility request.
    /// - Parameter request: the request, or nil if it is too long.
    func eligibility(_ request: [UInt8]?) throws(BoundaryFailure) -> BoundaryAnswer {
        guard let request else { throw .tooLarge(limit: EligibilityEndpoint.maximumRequestBytes) }
        do throws(EligibilityFailure) {
            let answer = try eligibility.evaluate(try eligibility.request(request), at: .now)
            return BoundaryAnswer(answer.refused.isEmpty ? APPRECEIPT_OK : APPRECEIPT_REFUSED, answer.json)
        } catch {
            let code =
                switch error.code {
                case .badRequest: APPRECEIPT_BAD_REQUEST
                case .refused where error.refused.contains { $0.refusal.isTransient }: APPRECEIPT_UNAVAILABLE
                case .refused, .notMerged: APPRECEIPT_REFUSED
                }
            return BoundaryAnswer(code, error.json)
        }
    }

    /// Answers a request about one customer.
    /// - Parameter request: the request, or nil if it is too long.
    func answer(customer request: [UInt8]?) throws(BoundaryFailure) -> BoundaryAnswer {
        guard let request else { throw .tooLarge(limit: CustomerRequest.maximumBytes) }
        guard let question = questionAtHand else { throw .badRequest("catalog: required in the settings") }
        do throws(EligibilityFailure) {
            return BoundaryAnswer(APPRECEIPT_OK, try CustomerRequest(request).answer(question))
        } catch {
            throw .badRequest(error.message)
        }
    }

    /// Answers a verifyReceipt request.
    /// - Parameter request: the request, or nil if it is too long.
    func verifyReceiptAnswer(to request: [UInt8]?) throws(BoundaryFailure) -> BoundaryAnswer {
        let endpoint = try verifyReceipt.get()
        let answer = request.map { endpoint.answer(to: $0, at: .now) } ?? VerifyReceiptAnswer(.malformed)
        let code =
            switch answer.status {
            case .valid: APPRECEIPT_OK
            case .unavailable: APPRECEIPT_UNAVAILABLE
            default: APPRECEIPT_REFUSED
            }
        return BoundaryAnswer(code, answer.body)
    }
}

extension JSONWriter {
    /// Writes the results for an input.
    /// - Parameters:
    ///   - code: receives the code of each refusal.
    ///   - examine: the closure that passes each result to its argument.
    fileprivate mutating func results(
        _ code: inout appreceipt_code, _ examine: ((Examination) -> Void) -> Void
    ) {
        object { json in
            json.array("results") { json in
                examine { examination in
                    json.verification(examination, of: .source("-"))
                    if case .failure(let refusal) = examination.result { code.take(refusal) }
                }
            }
        }
    }
}

extension [UInt8] {
    /// Returns the end of the line that begins at `start`.
    fileprivate func lineEnd(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return count }
            let found = unsafe memchr(base + start, 0x0A, count - start)
            return unsafe found.map { unsafe UnsafeRawPointer($0) - base } ?? count
        }
    }
}

extension Timestamp {
    /// The time of the machine's clock.
    fileprivate static var now: Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
