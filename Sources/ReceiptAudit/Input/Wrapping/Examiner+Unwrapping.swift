import AppReceipt
import ReceiptJSON

extension Examiner {
    /// Examines a receipt as an export holds it: as it is or, where that is no receipt, what it was wrapped in.
    func examine(unwrapping text: Span<UInt8>) -> Examination {
        let asItIs = Unwrapper.isOfUse(text) ? nil : examine(text)
        // What decodes has a digest.
        if let asItIs, asItIs.sha256 != nil { return asItIs }
        switch Unwrapper.read(text, limits: verifier.limits) {
        case .receipt(let der, let layers):
            var examination = examine(container: der)
            // One layer of base64 is what everybody expects.
            if layers != [.base64], layers != [.base64url], layers != [.pem], !layers.isEmpty {
                examination.wrapping = layers.map(\.rawValue)
            }
            return examination
        case .none(let message?):
            return Examination(
                .failure(Refusal(code: .malformed, message: message, offset: 0, field: "input")))
        case .none(nil): return asItIs ?? examine(text)
        }
    }
}
