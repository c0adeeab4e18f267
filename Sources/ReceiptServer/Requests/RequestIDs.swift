#if Server
    import StrictJSON
    import Synchronization

    /// A generator of IDs for requests without one. An ID is a random prefix of the process and a number.
    final class RequestIDs: Sendable {
        private let process: String
        private let last = Atomic<UInt64>(0)

        init() {
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            process = String(repeating: "0", count: 8 - digits.count) + digits
        }

        func next() -> String {
            process + "-" + String(last.add(1, ordering: .relaxed).newValue, radix: 16)
        }

        /// Returns the ID that the client sent, or nil if it is too long or has characters that could alter a log line.
        static func own(_ text: String?) -> String? {
            guard let text, (1...64).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0.isDigit || $0.isLetter || "._-".utf8.contains($0) })
            else { return nil }
            return text
        }
    }
#endif
