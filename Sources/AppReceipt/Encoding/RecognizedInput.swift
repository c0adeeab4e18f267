/// The format of an input, detected from its content. File names are not used.
package enum RecognizedInput: Sendable {
    /// The bytes of a PKCS #7 container, or of other input that was decoded like one. They are not parsed
    /// yet.
    case receipt(der: [UInt8])
    /// A compact JWS.
    case jws([UInt8])
    /// The property list of a transaction receipt, without white space around it.
    case transactionReceipt([UInt8])
    /// JSON, which may contain responses of the App Store Server API.
    case json([UInt8])

    /// Detects the format.
    /// - Throws: ``ReceiptError`` if the input has none of these formats.
    package init(_ input: Span<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        guard input.count <= limits.textBytes else { throw InputEncoding.tooLarge(limits) }
        let body = input.trimmed(0..<input.count)
        switch body.isEmpty ? 0 : input[body.lowerBound] {
        case InputEncoding.derFirstByte:
            self = .receipt(der: try InputEncoding.decode(input, limits: limits).der)
        case UInt8(ascii: "{"):
            let text = input.copy(body)
            self = input.extracting(body).isPropertyList ? .transactionReceipt(text) : .json(text)
        case UInt8(ascii: "["): self = .json(input.copy(body))
        case _ where input.extracting(body).isCompactJWS:
            // A line end after it belongs to the file. Other white space is an error.
            self = .jws(input.copy(0..<input.endOfLine))
        default:
            let der = try InputEncoding.decodeText(input, limits: limits).der
            let inner = der.span.trimmed(0..<der.count)
            let isList = !inner.isEmpty && der[inner.lowerBound] == UInt8(ascii: "{")
            self = isList ? .transactionReceipt(Array(der[inner])) : .receipt(der: der)
        }
    }
}

extension Span<UInt8> {
    /// The end without a trailing line end.
    fileprivate var endOfLine: Int {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// Whether the text has a period, like a compact JWS. In the text of a receipt, only a PEM label can
    /// contain one. PEM, HTML and binary data are excluded.
    fileprivate var isCompactJWS: Bool {
        guard count > 0, self[0] != UInt8(ascii: "-"), self[0] != UInt8(ascii: "<") else { return false }
        let period = index(of: ".")
        return period < count && extracting(0..<period).isPlainText
    }
}
