import AppReceipt

/// What verifyReceipt answers: the body of an HTTP 200, whatever the status. A ``VerifyReceiptEndpoint`` makes it.
public struct VerifyReceiptAnswer: Sendable {
    /// Apple's codes, as far as they can be known without Apple's database: 21005 and 21100 to 21199 are of Apple's own
    /// servers, 21006 of receipts of before iOS 7, 21010 of accounts that were deleted.
    public enum Status: Int, Sendable, CaseIterable {
        /// The receipt is genuine, and of this environment and app.
        case valid = 0
        /// The request was no POST: for servers, which know.
        case notPOST = 21000
        /// The request or the receipt does not read as it should.
        case malformed = 21002
        /// The receipt, or a signed object beside it, is not genuine or not of an app that is answered.
        case notAuthenticated = 21003
        /// The password is not the shared secret.
        case wrongPassword = 21004
        /// Genuine, of the sandbox, and sent to production: clients send it to the sandbox next.
        case sandboxReceipt = 21007
        /// Genuine, of production, and sent to the sandbox.
        case productionReceipt = 21008
        /// Nothing was judged, for example for want of memory: worth another try.
        case unavailable = 21009
    }

    /// What `status` says.
    public let status: Status
    /// A JSON object in UTF-8; of every status but `valid` it holds `status` alone, as Apple's does, and `refusal` where the
    /// request's `latest` is at fault, which Apple's does not know.
    public let body: [UInt8]
    /// Transaction ids of signed transactions in `latest` that `latest_receipt_info` leaves out: consumables that the
    /// receipt does not list, which the app may have finished.
    public let leftOut: [String]
    /// Original transaction ids of renewal information that `pending_renewal_info` leaves out: no transaction in the receipt
    /// or in `latest` is of its subscription. An empty one where the information names none.
    public let unmatchedRenewals: [String]
    /// What was wrong and where, for a log. Offsets count in the request; where a receipt or renewal information was read and
    /// refused, as in `ReceiptError`. Nil where the status says all.
    public let refusal: Refusal?

    init(
        _ status: Status, body: [UInt8], refusal: Refusal?, leftOut: [String] = [],
        unmatchedRenewals: [String] = []
    ) {
        (self.status, self.body, self.refusal) = (status, body, refusal)
        (self.leftOut, self.unmatchedRenewals) = (leftOut, unmatchedRenewals)
    }

    /// An answer that holds a status alone.
    /// - Parameters:
    ///   - status: why nothing else is answered.
    ///   - refusal: more about it, for a log.
    public init(_ status: Status, because refusal: Refusal? = nil) {
        self.init(status, because: refusal, isTold: false)
    }

    init(_ refusal: VerifyReceiptRefusal) {
        self.init(refusal.status, because: refusal.refusal, isTold: refusal.isOfLatest)
    }

    private init(_ status: Status, because refusal: Refusal?, isTold: Bool) {
        let body = JSONWriter.text { json in
            json.object { json in
                json.key("status")
                json.number(status.rawValue)
                if isTold, let refusal { json.refusal(refusal) }
            }
        }
        self.init(status, body: body, refusal: refusal)
    }

    /// The JSON Schema (2020-12) of every ``body``.
    public static var schema: String {
        String(decoding: PackageResources.verify_receipt_json, as: UTF8.self)
    }
}

/// Why a request is answered with a status alone.
struct VerifyReceiptRefusal: Error {
    let status: VerifyReceiptAnswer.Status
    let refusal: Refusal?
    /// Whether the request's `latest` is at fault.
    let isOfLatest: Bool

    init(_ status: VerifyReceiptAnswer.Status, _ refusal: Refusal? = nil, isOfLatest: Bool = false) {
        (self.status, self.refusal, self.isOfLatest) = (status, refusal, isOfLatest)
    }

    /// - Parameter name: the name and place of the object in `latest`.
    init(_ refusal: Refusal, ofLatestAt name: String) {
        self.init(
            VerifyReceiptAnswer.Status(refusal.code),
            Refusal(
                code: refusal.code, message: refusal.message, offset: refusal.offset,
                field: refusal.field.map { "\(name).\($0)" } ?? name, certificate: refusal.certificate),
            isOfLatest: true)
    }

    static func ofLatest(
        _ message: String, at name: String, code: ReceiptError.Code = .malformed
    ) -> VerifyReceiptRefusal {
        VerifyReceiptRefusal(Refusal(code: code, message: message), ofLatestAt: name)
    }

    /// - Parameter member: of the request, where it is not `receipt-data`.
    init(_ error: ReceiptError, at member: String? = nil) {
        let field = [member, error.field].compactMap { $0 }.joined(separator: ".")
        self.init(
            VerifyReceiptAnswer.Status(error.code),
            Refusal(
                code: error.code, message: error.message, offset: error.offset,
                field: field.isEmpty ? nil : field, certificate: error.certificate))
    }

    static func malformed(
        _ message: String, at offset: Int?, _ field: String, isOfLatest: Bool = false
    ) -> VerifyReceiptRefusal {
        VerifyReceiptRefusal(
            .malformed,
            Refusal(
                code: .malformed, message: message, offset: offset, field: field.isEmpty ? nil : field),
            isOfLatest: isOfLatest)
    }
}

extension VerifyReceiptAnswer.Status {
    fileprivate init(_ code: ReceiptError.Code) {
        switch code {
        case .malformed, .tooLarge: self = .malformed
        case .untrustedChain, .wrongPurpose, .badSignature, .wrongBundleID, .wrongEnvironment, .wrongDevice:
            self = .notAuthenticated
        case .unreadable: self = .unavailable
        }
    }
}
