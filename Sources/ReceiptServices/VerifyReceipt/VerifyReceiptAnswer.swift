public import AppReceipt
import ReceiptJSON
import StrictJSON

/// A verifyReceipt response: the body of an HTTP 200 response, for any status. A ``VerifyReceiptEndpoint``
/// creates it.
public struct VerifyReceiptAnswer: Sendable {
    /// Apple's status codes, except those that depend on Apple's database. Codes 21005 and 21100 to 21199
    /// concern Apple's own servers. Code 21006 concerns receipts from before iOS 7, and 21010 concerns
    /// deleted accounts.
    public enum Status: Int, Sendable, CaseIterable {
        /// The receipt is genuine and has the expected environment and app.
        case valid = 0
        /// The request was not a POST. Only servers can detect this.
        case notPOST = 21000
        /// The request or the receipt is malformed.
        case malformed = 21002
        /// The receipt, or a signed object next to it, is not genuine or belongs to an app that is not
        /// allowed.
        case notAuthenticated = 21003
        /// The password is not the shared secret.
        case wrongPassword = 21004
        /// A genuine sandbox receipt was sent to production. Clients then send it to the sandbox.
        case sandboxReceipt = 21007
        /// A genuine production receipt was sent to the sandbox.
        case productionReceipt = 21008
        /// Nothing was verified, for example for lack of memory. A retry may succeed.
        case unavailable = 21009
    }

    /// The value of `status`.
    public let status: Status
    /// A JSON object in UTF-8. For every status except `valid` it contains only `status`, like Apple's
    /// responses. If the request's `latest` is the cause, it also contains `refusal`, which Apple's responses
    /// do not have.
    public let body: [UInt8]
    /// The transaction IDs of signed transactions in `latest` that `latest_receipt_info` leaves out. They are
    /// consumables that the receipt does not list, which the app may have finished.
    public let leftOut: [String]
    /// The original transaction IDs of renewal information that `pending_renewal_info` leaves out, because no
    /// transaction in the receipt or in `latest` belongs to its subscription. An empty string represents
    /// information that names none.
    public let unmatchedRenewals: [String]
    /// The problem and its place, for a log. Offsets are relative to the request. If a receipt or renewal
    /// information was decoded and refused, they are those of its `ReceiptError`. Nil if the status needs no
    /// details.
    public let refusal: ReceiptError?

    init(
        _ status: Status, body: [UInt8], refusal: ReceiptError?, leftOut: [String] = [],
        unmatchedRenewals: [String] = []
    ) {
        (self.status, self.body, self.refusal) = (status, body, refusal)
        (self.leftOut, self.unmatchedRenewals) = (leftOut, unmatchedRenewals)
    }

    /// Creates a response that contains only a status.
    /// - Parameters:
    ///   - status: The status.
    ///   - refusal: Details for a log.
    public init(_ status: Status, because refusal: ReceiptError? = nil) {
        self.init(VerifyReceiptRefusal(status, refusal))
    }

    init(_ refused: VerifyReceiptRefusal) {
        let body = JSONWriter.text { json in
            json.object { json in
                json.number("status", refused.status.rawValue)
                if refused.isOfLatest, let refusal = refused.refusal { json.refusal(refusal) }
            }
        }
        self.init(refused.status, body: body, refusal: refused.refusal)
    }
}

/// The reason why the response contains only a status.
struct VerifyReceiptRefusal: Error {
    let status: VerifyReceiptAnswer.Status
    let refusal: ReceiptError?
    /// Whether the request's `latest` is the cause.
    let isOfLatest: Bool

    init(_ status: VerifyReceiptAnswer.Status, _ refusal: ReceiptError? = nil, isOfLatest: Bool = false) {
        (self.status, self.refusal, self.isOfLatest) = (status, refusal, isOfLatest)
    }

    static func ofLatest(
        _ message: String, at name: String, code: ReceiptError.Code = .malformed
    ) -> VerifyReceiptRefusal {
        VerifyReceiptRefusal(ReceiptError(code, message: message), at: name, isOfLatest: true)
    }

    /// Creates a refusal from a verifier's error.
    /// - Parameter member: The member of the request, or nil for `receipt-data`.
    init(_ error: ReceiptError, at member: String? = nil, isOfLatest: Bool = false) {
        let field = [member, error.field].compactMap { $0 }.joined(separator: ".")
        self.init(
            VerifyReceiptAnswer.Status(error.code), error.at(field.isEmpty ? nil : field),
            isOfLatest: isOfLatest)
    }

    static func malformed(
        _ message: String, at offset: Int?, _ field: String, isOfLatest: Bool = false
    ) -> VerifyReceiptRefusal {
        VerifyReceiptRefusal(
            .malformed,
            ReceiptError(.malformed, message: message, offset: offset, field: field.isEmpty ? nil : field),
            isOfLatest: isOfLatest)
    }
}

/// Returns a value of the verifier.
/// - Parameter refusal: A closure that converts the verifier's error.
func refusing<Value>(
    _ value: @autoclosure () throws(ReceiptError) -> Value,
    _ refusal: (ReceiptError) -> VerifyReceiptRefusal = { VerifyReceiptRefusal($0) }
) throws(VerifyReceiptRefusal) -> Value {
    do throws(ReceiptError) {
        return try value()
    } catch {
        throw refusal(error)
    }
}

extension VerifyReceiptAnswer.Status {
    fileprivate init(_ code: ReceiptError.Code) {
        switch code {
        case .malformed, .tooLarge: self = .malformed
        case .untrustedChain, .wrongPurpose, .badSignature, .revoked, .revocationUnknown, .wrongBundleID,
            .wrongEnvironment, .wrongDevice:
            self = .notAuthenticated
        case .unreadable: self = .unavailable
        }
    }
}
