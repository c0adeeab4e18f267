import AppReceipt
import ReceiptJSON

/// The step of `check.sh` that shows why evidence was refused.
enum EvidenceStage: String {
    /// Before a chain was judged, by rules of which openssl knows nothing.
    case read
    /// No root vouches for the signer.
    case chain
    /// Apple's markers.
    case marker
    /// Behind the chain, by rules of which openssl knows nothing.
    case own
    case signature
    /// Behind the signature, by rules of which openssl knows nothing.
    case signed
    /// Genuine, and not what was asked for.
    case demand

    /// - Parameter error: what a verifier says that demands nothing; nil where it takes the object.
    init(_ error: ReceiptError?, _ refusal: Refusal, _ demands: Demands) {
        guard let error else {
            let isAskedFor =
                switch refusal.code {
                case .wrongBundleID: demands.audience.isForApps
                case .wrongEnvironment: demands.audience.environments != .anyEnvironment
                case .wrongDevice: demands.deviceID != nil
                default: false
                }
            // What carries it may demand something too.
            self = isAskedFor ? .demand : .signed
            return
        }
        self =
            switch error.reason {
            case .noPath, .notValid: .chain
            case .markerMissing: .marker
            case .sha1, .contentTypeAttribute, .secondOpinion: .own
            case .signatureMismatch, .messageDigestAttribute: .signature
            case .encoding where error.isOfSignedPayload: .signed
            default: .read
            }
    }
}

extension ReceiptError {
    /// Of a receipt, structure and creation date are read before the signature is checked, all other values behind it.
    fileprivate var isOfSignedPayload: Bool {
        guard let field, field.hasPrefix("payload.") else { return false }
        return !field.hasPrefix("payload.attributes[") && field != "payload.receipt_creation_date"
    }
}
