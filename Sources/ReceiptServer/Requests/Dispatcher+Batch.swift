#if Server
    import AppReceipt
    import HummingbirdCore
    import NIOCore
    import NIOHTTP1
    import ReceiptJSON

    extension Dispatcher {
        /// What `audit --ndjson -` prints of the same lines on its standard input. The answers to what has come go out before
        /// more is read, and nothing is read while they cannot.
        func batch(_ request: Request) throws(Failure) -> Answer {
            let examiner = Examiner(state.verifier, demands: try demands(of: request))
            let state = state
            return Answer(.ndjson) { writer in
                var lines = BatchLines(state, examiner)
                do {
                    for try await part in request.body {
                        try lines.add(part)
                        while let answers = try await lines.next() { try await writer.write(answers) }
                    }
                    try lines.end()
                    while let answers = try await lines.next() { try await writer.write(answers) }
                } catch  where error is HTTPParserError || error is Failure {
                    // An answer that is under way cannot become another one: it ends without its end.
                    throw BrokenBatch()
                }
                try await writer.finish(nil)
            }
        }
    }

    /// What was read of a batch is not one.
    struct BrokenBatch: Error {}

    /// Cuts what comes in into lines, and answers them, some at a time.
    struct BatchLines {
        /// A line, or that there was one which is too long.
        private struct Line: Sendable {
            let number: Int
            /// Nil where it is too long.
            let text: [UInt8]?
        }

        private let examiner: RecordExaminer
        private let metrics: ServerMetrics
        private let reservation: ByteBudget.Reservation
        private let patience: TimeAmount
        /// What came and is not cut yet.
        private var rest = ByteBuffer()
        /// The beginning of a line whose end has not come, and when it came.
        private var begun: [UInt8] = []
        private var start = NIODeadline.now()
        /// Its beginning was too long, and the rest of it is not kept.
        private var isSkipping = false
        private var isOver = false
        private var number = 0

        /// Lines, and bytes of them, that are answered at a time.
        private static let (most, mostBytes) = (64, 256 << 10)

        init(_ state: ServerState, _ examiner: Examiner) {
            self.examiner = RecordExaminer(examiner, question: state.question())
            metrics = state.metrics
            reservation = state.budget.reservation()
            patience = state.settings.connection.header
        }

        /// Takes what came next, when all before is answered.
        mutating func add(_ part: ByteBuffer) throws {
            rest = part
            guard !begun.isEmpty || isSkipping else {
                start = .now()
                return
            }
            // A long line that is hardly sent holds what others need.
            let allowed = patience + .seconds(Int64(begun.count / ByteBudget.free))
            guard begun.count <= ByteBudget.free || NIODeadline.now() - start < allowed else {
                throw BrokenBatch()
            }
        }

        private static func isBlank(_ text: [UInt8]) -> Bool {
            text.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }

        /// What stands behind the last line's end is a line, if it is anything.
        mutating func end() throws { isOver = true }

        /// The answers to the lines that come next; nil where none has ended.
        mutating func next() async throws -> ByteBuffer? {
            var lines: [Line] = []
            var bytes = 0
            while lines.count < Self.most, bytes < Self.mostBytes, let line = try cut() {
                // Blank ones are left out, and however many are no end of what came. To look at a long one takes its time.
                if let text = line.text, text.count <= 1024, Self.isBlank(text) { continue }
                lines.append(line)
                bytes += line.text?.count ?? 0
            }
            guard !lines.isEmpty else { return nil }
            let (examiner, metrics, answered) = (examiner, metrics, lines)
            // A batch waits for its turn: it holds one stretch at a time.
            let answers = try await perform(bytes, mayWait: bytes <= 1 << 20) {
                var json = JSONWriter()
                for line in answered {
                    if let text = line.text {
                        if Self.isBlank(text) { continue }
                        examiner.answer(line: text, number: line.number, to: &json) {
                            metrics.count($0?.code)
                        }
                    } else {
                        examiner.answerTooLong(number: line.number, to: &json)
                        metrics.count(.unreadable)
                    }
                }
                return json.buffer
            }
            // Until they are written, when the next line is cut.
            guard reservation.hold(answers.readableBytes) else { throw BrokenBatch() }
            return answers
        }

        /// The next line that has ended, blank or not.
        private mutating func cut() throws -> Line? {
            let view = rest.readableBytesView
            guard let end = view.firstIndex(of: 0x0A) else {
                if !isSkipping {
                    // To grow step by step copies megabytes on the event loop; what is not written takes no memory.
                    let isLong = begun.count + view.count > ByteBudget.free
                    if isLong { begun.reserveCapacity(examiner.longestLine) }
                    begun += view
                }
                rest.clear()
                if begun.count > examiner.longestLine { (isSkipping, begun) = (true, []) }
                guard reservation.hold(begun.count) else { throw BrokenBatch() }
                guard isOver, isSkipping || !begun.isEmpty else { return nil }
                return line()
            }
            if !isSkipping { begun += view[..<end] }
            rest.moveReaderIndex(to: end + 1)
            return line()
        }

        private mutating func line() -> Line {
            number += 1
            defer {
                (begun, isSkipping, start) = ([], false, .now())
                reservation.hold(0)
            }
            return Line(number: number, text: isSkipping || begun.count > examiner.longestLine ? nil : begun)
        }
    }
#endif
