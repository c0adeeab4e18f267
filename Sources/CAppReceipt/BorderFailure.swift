import CAppReceiptBorder
import ReceiptJSON

/// Why a call comes to nothing.
enum BorderFailure: Error {
    /// Arguments, settings or request are not understood.
    case refused(code: String, message: String)
    /// There is no memory, or OpenSSL fails.
    case unavailable

    static func badRequest(_ message: String) -> BorderFailure {
        .refused(code: "bad_request", message: message)
    }

    static func badSettings(_ message: String) -> BorderFailure {
        .refused(code: "bad_settings", message: message)
    }

    var answer: Answer {
        switch self {
        case .refused(let code, let message):
            Answer(APPRECEIPT_BAD_REQUEST, JSONWriter.error(code, message))
        case .unavailable: Answer(APPRECEIPT_UNAVAILABLE)
        }
    }
}
