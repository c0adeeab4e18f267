/// Why there are no verdicts on a customer.
public struct EligibilityFailure: Error, Sendable {
    /// For scripts, and to switch over.
    public enum Code: String, Sendable, CaseIterable {
        /// The request is not understood.
        case badRequest = "bad_request"
        /// Pieces of the evidence are of different apps, environments or realms, or contradict each other.
        case notMerged = "not_merged"
        /// Some of the evidence is not genuine, or of another app.
        case refused
    }

    /// What kind of failure it is.
    public let code: Code
    /// One clear line.
    public let message: String
    /// What was refused, in the order of the request; empty unless the code says so.
    public let refused: [RefusedMember]

    static func badRequest(_ message: String) -> EligibilityFailure {
        EligibilityFailure(code: .badRequest, message: message, refused: [])
    }

    /// The JSON of it: `{"error": {"code", "message"}, "refusals": […]}`, where there are refusals.
    public var json: [UInt8] { JSONWriter.error(code.rawValue, message, refused: refused) }

    /// A refusal of one member of a request's array.
    public struct RefusedMember: Sendable {
        /// Whether the array is `renewal_info`, and not `evidence`.
        public let isRenewal: Bool
        /// Its place in the array.
        public let index: Int
        /// Where in the member, if not the whole: its name or place behind a `#`.
        public let place: String
        /// Why.
        public let refusal: Refusal

        /// - Parameter source: as ``source(_:_:)`` has it, and the place behind it.
        init(_ source: String, _ refusal: Refusal) {
            isRenewal = source.hasPrefix(Self.renewals)
            let parts = source.split(maxSplits: 2, omittingEmptySubsequences: false) {
                $0 == "[" || $0 == "]"
            }
            index = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            place = parts.count > 2 ? String(parts[2]) : ""
            self.refusal = refusal
        }

        static let (evidence, renewals) = ("evidence", "renewal_info")

        static func source(_ array: String, _ index: Int) -> String { "\(array)[\(index)]" }
    }
}

extension JSONWriter {
    /// The object that says why something asked for gets no answer.
    package static func error(
        _ code: String, _ message: String, refused: [EligibilityFailure.RefusedMember] = []
    ) -> [UInt8] {
        text { json in
            json.object { json in
                json.key("error")
                json.object { json in
                    json.key("code")
                    json.string(code)
                    json.key("message")
                    json.string(message)
                }
                if !refused.isEmpty { json.refusals(refused) }
            }
        }
    }

    /// The member `refusals` of an answer.
    mutating func refusals(_ refused: [EligibilityFailure.RefusedMember]) {
        key("refusals")
        array(refused) { json, refused in
            json.object { json in
                json.key(refused.isRenewal ? "renewal_info" : "evidence")
                json.number(refused.index)
                if !refused.place.isEmpty {
                    json.key("path")
                    json.string(String(refused.place.dropFirst()))
                }
                json.refusal(refused.refusal)
            }
        }
    }
}
