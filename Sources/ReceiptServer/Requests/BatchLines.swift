#if Server
    import AppReceipt
    import NIOCore
    import ReceiptExamination
    import ReceiptJSON
    import ReceiptServices
    import StrictJSON

    /// A reader that splits the input into lines, and answers several lines at a time.
    struct BatchLines {
        /// An event that changes the time limits of the body.
        enum Event {
            /// A line became long, or a long line ended.
            case longLine(isOver: Bool)
            /// Received lines are answered, or have been.
            case work(isOver: Bool)
        }

        /// The error that ends an answer that cannot continue.
        struct BrokenBatch: Error {}

        private let dispatcher: Dispatcher
        private let policy: VerificationPolicy
        private let longest: Int
        /// The number of the last reading of the files that has the token.
        private var reading: Int?
        private let reservation: ByteBudget.Reservation
        /// The input that is not split into lines yet.
        private var rest = ByteBuffer()
        /// The beginning of an incomplete line.
        private var begun: [UInt8] = []
        /// Whether the current line must arrive at the rate of other bodies. A client must not block memory with a long line that
        /// it sends very slowly.
        private var isLong = false {
            didSet {
                guard isLong != oldValue else { return }
                tell(.longLine(isOver: !isLong))
            }
        }
        /// Whether the current line is too long, so that the rest of it is dropped.
        private var isSkipping = false
        private var isOver = false
        private var number = 0

        /// The maximum number of lines, and the number of bytes, that are answered at a time.
        private static let (most, mostBytes) = (64, 256 << 10)
        /// The number of verdicts that are written at a time. A verdict has about a kilobyte.
        private static let mostVerdicts = 4096
        /// The size of a small genuine object in bytes, which contains its certificates.
        private static let fewestBytes = 4096

        init(_ dispatcher: Dispatcher, _ policy: VerificationPolicy) {
            (self.dispatcher, self.policy) = (dispatcher, policy)
            longest = RecordExaminer.longestLine(dispatcher.state.settings.limits)
            reservation = dispatcher.state.budget.reservation()
        }

        private func tell(_ event: Event) {
            dispatcher.channel.triggerUserOutboundEvent(event, promise: nil)
        }

        /// Adds a part of the body after all earlier lines were answered.
        mutating func add(_ part: ByteBuffer) { rest = part }

        private static func isBlank(_ text: [UInt8]) -> Bool { text.allSatisfy(isBlank) }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

        /// Ends the input. Text after the last line feed is a line.
        mutating func end() { isOver = true }

        /// Returns the answers to the next lines, or nil if no line is complete. Uses the current files and time, because a batch
        /// may last for days. Between groups of lines, it keeps no reading of the files.
        /// - Throws: ``BrokenBatch`` if there is no memory, or if the token was removed.
        mutating func next() async throws -> ByteBuffer? {
            let (policy, state) = (policy, dispatcher.state)
            let served = state.served
            if served.number != reading {
                guard (try? dispatcher.files(for: .batch)) != nil else { throw BrokenBatch() }
                reading = served.number
            }
            var lines: [RecordLine] = []
            var (bytes, verdicts) = (0, 0)
            while lines.count < Self.most, bytes < Self.mostBytes, verdicts < Self.mostVerdicts,
                let line = try cut()
            {
                let count = line.bytes.count
                lines.append(line)
                bytes += count
                verdicts += (1 + count / Self.fewestBytes) * served.mostProducts
            }
            guard !lines.isEmpty else { return nil }
            guard reservation.hold(bytes) else { throw BrokenBatch() }
            let (answered, now) = (lines, state.clock.now)
            tell(.work(isOver: false))
            defer { tell(.work(isOver: true)) }
            let answers = try await dispatcher.perform(bytes, isBatch: true) {
                var json = JSONWriter()
                let examiner = RecordExaminer(
                    Examiner(served.verifier, policy: policy), question: served.question(at: now),
                    limit: VerdictLimit(maximumBytes: EligibilityEndpoint.maximumAnswerBytes))
                let lines = answered.filter { $0.range == nil || !Self.isBlank($0.bytes) }
                for part in RecordExaminer.parts(of: lines) {
                    examiner.answer(part, to: &json) { _, line, _ in state.metrics.count(line.refusal?.code) }
                }
                return json.buffer
            }
            // The reservation lasts until the next line is split off. By then, at most the last parts of the answers wait to be
            // sent.
            guard reservation.hold(answers.readableBytes) else { throw BrokenBatch() }
            return answers
        }

        /// Skips and counts the blank lines at the beginning of the input.
        private mutating func skipBlankLines() {
            guard begun.isEmpty, !isSkipping else { return }
            var length = 0
            for (offset, byte) in rest.readableBytesView.enumerated() {
                if byte == 0x0A {
                    (number, length) = (number + 1, offset + 1)
                } else if !Self.isBlank(byte) {
                    break
                }
            }
            rest.moveReaderIndex(forwardBy: length)
        }

        /// Returns the next complete line. It may be blank if its beginning arrived earlier.
        private mutating func cut() throws -> RecordLine? {
            skipBlankLines()
            let view = rest.readableBytesView
            guard let end = view.firstIndex(of: 0x0A) else {
                if !isSkipping {
                    // Growing step by step would copy megabytes on the event loop. Reserved memory costs nothing until it
                    // is written.
                    isLong = begun.count + view.count > ByteBudget.free
                    if isLong { begun.reserveCapacity(longest) }
                    begun += view
                }
                rest.clear()
                if begun.count > longest { (isSkipping, isLong, begun) = (true, false, []) }
                guard reservation.hold(begun.count) else { throw BrokenBatch() }
                guard isOver, isSkipping || !begun.isEmpty else { return nil }
                return line()
            }
            if !isSkipping { begun += view[..<end] }
            rest.moveReaderIndex(to: end + 1)
            return line()
        }

        private mutating func line() -> RecordLine {
            number += 1
            defer {
                (begun, isSkipping, isLong) = ([], false, false)
                reservation.hold(0)
            }
            return RecordLine(isSkipping || begun.count > longest ? nil : begun, number: number)
        }
    }
#endif
