public import AppReceipt
import ReceiptJSON
package import StrictJSON

/// The reason why the endpoint returns no verdicts on a customer.
public struct EligibilityFailure: Error, Sendable {
    /// A failure code for scripts and `switch` statements.
    public enum Code: String, Sendable, CaseIterable {
        /// The request is invalid.
        case badRequest = "bad_request"
        /// The evidence spans different apps, environments or trust anchor kinds, or is conflicting.
        case notMerged = "not_merged"
        /// Some of the evidence is not genuine or does not meet the verification policy.
        case refused
    }

    /// The kind of failure.
    public let code: Code
    /// The reason on one line, for a person.
    public let message: String
    /// The refused members, in the order of the request. Empty unless the code is `refused`.
    public let refused: [RefusedMember]

    static func badRequest(_ message: String) -> EligibilityFailure {
        EligibilityFailure(code: .badRequest, message: message, refused: [])
    }

    /// The failure as JSON: `{"error": {"code", "message"}, "refusals": […]}`, without `refusals` if there
    /// are none.
    public var json: [UInt8] { JSONWriter.error(code.rawValue, message, refused: refused) }

    /// The refusal of one member of a request's array.
    public struct RefusedMember: Sendable {
        /// Whether the array is `renewal_info` instead of `evidence`.
        public let isRenewal: Bool
        /// The index of the member in the array.
        public let index: Int
        /// The place of the refused object in the member: `#` and a path, or empty for the whole member.
        public let place: String
        /// The reason for the refusal.
        public let refusal: ReceiptError

        /// Creates a refusal.
        /// - Parameter source: The result of ``source(_:_:)``, followed by the place.
        init(_ source: String, _ refusal: ReceiptError) {
            isRenewal = source.utf8.starts(with: Self.renewals.utf8)
            let parts = source.utf8.split(maxSplits: 2, omittingEmptySubsequences: false) {
                $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
            }
            index = parts.count > 1 ? Int(Substring(parts[1])) ?? 0 : 0
            place = parts.count > 2 ? String(Substring(parts[2])) : ""
            self.refusal = refusal
        }

        static let (evidence, renewals) = ("evidence", "renewal_info")

        static func source(_ array: String, _ index: Int) -> String { "\(array)[\(index)]" }
    }
}

extension JSONWriter {
    /// Returns the JSON object of an error.
    package static func error(
        _ code: String, _ message: String, refused: [EligibilityFailure.RefusedMember] = []
    ) -> [UInt8] {
        text { json in
            json.object { json in
                json.object("error") { json in
                    json.string("code", code)
                    json.string("message", message)
                }
                if !refused.isEmpty { json.refusals(refused) }
            }
        }
    }

    /// Writes the member `refusals` of a response.
    mutating func refusals(_ refused: [EligibilityFailure.RefusedMember]) {
        array("refusals", refused) { json, refused in
            json.object { json in
                json.key(refused.isRenewal ? "renewal_info" : "evidence")
                json.number(refused.index)
                if !refused.place.isEmpty {
                    json.string("path", String(Substring(refused.place.utf8.dropFirst())))
                }
                json.refusal(refused.refusal)
            }
        }
    }
}
