#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOHTTP1
    import ReceiptJSON

    extension Dispatcher {
        /// What `audit --ndjson -` prints of the same lines on its standard input. The answers to what has come go out before
        /// more is read, and nothing is read while they cannot.
        func batch(_ request: Request) -> Answer {
            let state = state
            return Answer(.ndjson) { writer in
                var lines = BatchLines(state)
                do {
                    for try await part in request.body {
                        for answers in try await lines.take(part) { try await writer.write(answers) }
                    }
                } catch is HTTPParserError {
                    // An answer that is under way cannot become another one: it ends without its end.
                    throw BrokenBatch()
                }
                if let answers = try await lines.end() { try await writer.write(answers) }
                try await writer.finish(nil)
            }
        }
    }

    /// What was read of a batch is not one.
    struct BrokenBatch: Error {}

    /// Cuts what comes in into lines, and answers them.
    struct BatchLines {
        private let examiner: RecordExaminer
        private let metrics: ServerMetrics
        /// The beginning of a line whose end has not come.
        private var rest: [UInt8] = []
        /// Its beginning was too long, and the rest of it is not kept.
        private var isSkipping = false
        private var number = 0

        private let reservation: ByteBudget.Reservation

        init(_ state: ServerState) {
            examiner = RecordExaminer(state.examiner, question: state.question())
            metrics = state.metrics
            reservation = state.budget.reservation()
        }

        /// - Returns: the answers to all lines that ended.
        mutating func take(_ part: ByteBuffer) async throws -> [ByteBuffer] {
            var answers: [ByteBuffer] = []
            var part = part.readableBytesView[...]
            while let end = part.firstIndex(of: 0x0A) {
                if !isSkipping { rest += part[..<end] }
                part = part[(end + 1)...]
                if let answer = try await answer() { answers.append(answer) }
            }
            if !isSkipping { rest += part }
            guard reservation.hold(rest.count) else { throw BrokenBatch() }
            if rest.count > examiner.longestLine {
                isSkipping = true
                rest = []
            }
            return answers
        }

        /// - Returns: the answer to what stands behind the last line's end, if anything does.
        mutating func end() async throws -> ByteBuffer? {
            isSkipping || !rest.isEmpty ? try await answer() : nil
        }

        /// Nil for a blank line.
        private mutating func answer() async throws -> ByteBuffer? {
            number += 1
            let (line, isTooLong) = (rest, isSkipping || rest.count > examiner.longestLine)
            rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
            isSkipping = false
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }), !isTooLong { return nil }
            let (examiner, metrics, number) = (examiner, metrics, number)
            return try await perform(line.count) {
                var json = JSONWriter()
                if isTooLong {
                    examiner.answerTooLong(number: number, to: &json)
                    metrics.count(.unreadable)
                } else {
                    examiner.answer(line: line, number: number, to: &json) { metrics.count($0) }
                }
                return json.buffer
            }
        }
    }
#endif
