import CAppReceiptBoundary
import ReceiptJSON
import ReceiptServices
import StrictJSON

/// The reason why a call has no result.
enum BoundaryFailure: Error {
    /// Arguments, settings or request are invalid.
    case refused(code: String, message: String)
    /// Memory is exhausted, or OpenSSL failed.
    case unavailable

    static func badRequest(_ message: String) -> BoundaryFailure {
        .refused(code: "bad_request", message: message)
    }

    static func badSettings(_ message: String) -> BoundaryFailure {
        .refused(code: "bad_settings", message: message)
    }

    static func tooLarge(limit: Int) -> BoundaryFailure {
        .refused(code: "too_large", message: "request: more than the limit of \(limit) bytes")
    }

    var answer: BoundaryAnswer {
        switch self {
        case .refused(let code, let message):
            BoundaryAnswer(APPRECEIPT_BAD_REQUEST, JSONWriter.error(code, message))
        case .unavailable: BoundaryAnswer(APPRECEIPT_UNAVAILABLE)
        }
    }
}
