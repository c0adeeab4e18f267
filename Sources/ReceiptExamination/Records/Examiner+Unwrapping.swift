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

    /// Examines text as it is, then without its wrappings.
    /// - Parameter isBesideObjects: Whether the text is beside signed objects in JSON. JSON in it is refused then,
    ///   because its objects would escape the limits of the JSON around it.
    func examine<Failure: Error>(
        unwrapped text: Span<UInt8>, isBesideObjects: Bool = false,
        _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
        func refuse(_ message: String) throws(Failure) {
            let refusal = ReceiptError(.malformed, message: message, offset: 0, field: "input")
            try body(Examination(.failure(refusal)))
        }
        var asItIs: Examination?
        if !Unwrapper.isOfUse(text) {
            let examination = examine(text)
            // Only an input that could be decoded has a digest.
            if examination.isDecoded { return try body(examination) }
            asItIs = examination
        }
        switch Unwrapper.read(text, limits: verifier.limits) {
        case .signed(.json, _) where isBesideObjects, .none(nil) where isBesideObjects && text.beginsObject:
            try refuse("JSON beside signed objects; examine it alone")
        case .signed(let input, let layers):
            try checkingSignatures.examine(recognized: input) { (examination) throws(Failure) in
                var examination = examination
                // A single layer of base64 is normal and is not reported.
                if layers != [.base64], layers != [.base64url], layers != [.pem], !layers.isEmpty {
                    examination.wrapping = layers.map(\.rawValue)
                }
                try body(examination)
            }
        case .none(let message?): try refuse(message)
        case .none(nil):
            if let asItIs { return try body(asItIs) }
            // For JSON without signed members, the refusal names the command that reads it.
            if text.count > 0, text[0] == UInt8(ascii: "{"), !text.hasSignedMembers(verifier.limits) {
                return try body(examine(text))
            }
            try checkingSignatures.examine(signedObjects: text.copy(0..<text.count), body)
        }
    }
}

extension Span<UInt8> {
    /// Whether the text is a JSON object, if it is JSON.
    fileprivate var beginsObject: Bool {
        trimmed(0..<count).first.map { self[$0] == UInt8(ascii: "{") } ?? false
    }
}
