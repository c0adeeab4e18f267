import AppReceipt

extension Examiner {
    /// Examines a receipt or other signed object from an export. It first tries the unchanged text, then
    /// removes wrappings.
    /// - Parameter body: The closure that receives each signed object, or one refusal if there is none.
    package func examine(unwrapping text: Span<UInt8>, _ body: (Examination) -> Void) {
        var digest: [UInt8]?
        examine(unwrapped: text) { examination in
            let foreign = foreign(text, examination)
            if foreign == nil, examination.received == .base64 { return body(examination) }
            if digest == nil { digest = verifier.sha256(of: text) }
            body((foreign ?? examination).received(as: digest))
        }
    }

    /// Returns the examination of a foreign value, or nil if the text is none. Only refused text is examined.
    private func foreign(_ text: Span<UInt8>, _ examination: Examination) -> Examination? {
        guard case .failure(let refusal) = examination.result, examination.place.isEmpty,
            refusal.code == .malformed || !isVerifying
        else { return nil }
        return ForeignKind(text).map { Examination(foreign: $0) }
    }

    private func examine(unwrapped text: Span<UInt8>, _ body: (Examination) -> Void) {
        var asItIs: Examination?
        if !Unwrapper.isOfUse(text) {
            let examination = examine(text)
            // Only an input that could be decoded has a digest.
            if examination.isDecoded { return body(examination) }
            asItIs = examination
        }
        switch Unwrapper.read(text, limits: verifier.limits) {
        case .signed(let input, let layers):
            checkingSignatures.examine(recognized: input) { (examination) throws(Never) in
                var examination = examination
                // A single layer of base64 is normal and is not reported.
                if layers != [.base64], layers != [.base64url], layers != [.pem], !layers.isEmpty {
                    examination.wrapping = layers.map(\.rawValue)
                }
                body(examination)
            }
        case .none(let message?):
            let refusal = ReceiptError(.malformed, message: message, offset: 0, field: "input")
            body(Examination(.failure(refusal)))
        case .none(nil):
            if let asItIs { return body(asItIs) }
            // For JSON without signed members, the refusal names the command that reads it.
            if text.count > 0, text[0] == UInt8(ascii: "{"), !text.hasSignedMembers(verifier.limits) {
                return body(examine(text))
            }
            checkingSignatures.examine(signedObjects: text.copy(0..<text.count)) {
                (examination) throws(Never) in
                body(examination)
            }
        }
    }
}
