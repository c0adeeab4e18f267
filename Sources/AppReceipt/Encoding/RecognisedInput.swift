/// What an input is, by its content: names of files say nothing.
package enum RecognisedInput: Sendable {
    /// The DER of a PKCS #7 receipt, or what decodes like one.
    case receipt(der: [UInt8])
    /// A compact JWS.
    case jws([UInt8])
    /// The property list of a transaction receipt, without white space around it.
    case transactionReceipt([UInt8])
    /// Answers of the App Store Server API.
    case json([UInt8])

    /// - Throws: ``ReceiptError`` where the input is nothing of all that.
    package init(_ input: Span<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        guard input.count <= limits.textBytes else { throw InputEncoding.tooLarge(limits) }
        let body = input.trimmed
        switch body.isEmpty ? 0 : input[body.lowerBound] {
        case InputEncoding.derFirstByte:
            self = .receipt(der: try InputEncoding.decode(input, limits: limits).der)
        case UInt8(ascii: "{"):
            let text = input.bytes(body)
            self = input.extracting(body).isPropertyList ? .transactionReceipt(text) : .json(text)
        case UInt8(ascii: "["): self = .json(input.bytes(body))
        case _ where input.extracting(body).isCompactJWS:
            // A line end behind it is the file's; any other white space would be somebody else's.
            self = .jws(input.bytes(0..<input.endOfLine))
        default:
            let der = try InputEncoding.decodeText(input, limits: limits).der
            let inner = der.span.trimmed
            let isList = !inner.isEmpty && der[inner.lowerBound] == UInt8(ascii: "{")
            self = isList ? .transactionReceipt(Array(der[inner])) : .receipt(der: der)
        }
    }
}

extension Span<UInt8> {
    /// Without blanks and line ends around it.
    fileprivate var trimmed: Range<Int> {
        var range = 0..<count
        while let first = range.first, self[first].isBlankOrLineEnd { range.removeFirst() }
        while let last = range.last, self[last].isBlankOrLineEnd { range.removeLast() }
        return range
    }

    /// Without the line end behind it.
    fileprivate var endOfLine: Int {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// No encoding of a receipt has a period; PEM may have one in its label. Behind bytes that no text has, and in a page
    /// of HTML, it means nothing.
    fileprivate var isCompactJWS: Bool {
        guard count > 0, self[0] != UInt8(ascii: "-"), self[0] != UInt8(ascii: "<") else { return false }
        let period = index(of: ".")
        return period < count && extracting(0..<period).isPlainText
    }

    fileprivate func bytes(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }
}
