#if Server
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
                text.utf8.allSatisfy({ byte in
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                        UInt8(ascii: "-"):
                        true
                    default: false
                    }
                })
            else { return nil }
            return text
        }
    }
#endif
