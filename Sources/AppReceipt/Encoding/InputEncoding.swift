/// The encodings of receipts, detected from their bytes.
///
/// The decoder repairs nothing. It refuses damaged text and never decodes it to other bytes.
public enum InputEncoding: String, Sendable {
    /// The container itself, a SEQUENCE in DER or BER.
    case der
    /// Base64 (RFC 4648, 4) on one or several lines, with or without padding.
    case base64
    /// Base64url (RFC 4648, 5).
    case base64URL
    /// PEM (RFC 7468) with any label.
    case pem

    /// A fault of a text encoding.
    public enum Fault: Error, Hashable, Sendable {
        /// No bytes, or only blanks and line ends.
        case empty
        /// A byte that is not allowed in any encoding.
        case unexpectedByte(UInt8)
        /// A blank between characters, as left by a form decoder that turned a `+` into a space.
        case blank
        /// Characters of both alphabets: `+` or `/`, and `-` or `_`.
        case mixedAlphabets
        /// `=` in the wrong place, too many of them, or characters after them.
        case padding
        /// A truncated text: a number of characters, or left-over bits, that encoders do not produce.
        case incomplete
        /// A text that begins with hyphens but has no BEGIN and END lines with the same label.
        case pemBoundary
        /// A response of the App Store Server API instead of a single object.
        case severalObjects
    }

    /// Decodes a receipt in any of the encodings.
    /// - Throws: ``ReceiptError`` with code `malformed` or `too_large`. Its offset is relative to `input`.
    public static func decode(
        _ input: [UInt8], limits: ReceiptLimits = ReceiptLimits()
    ) throws(ReceiptError) -> (der: [UInt8], encoding: InputEncoding) {
        if input.first == derFirstByte {
            guard input.count <= limits.inputBytes else { throw tooLarge(limits) }
            return (input, .der)
        }
        return try decodeText(input.span, limits: limits)
    }

    /// Decodes a receipt within a larger buffer.
    /// - Throws: ``ReceiptError`` with code `malformed` or `too_large`. Its offset is relative to `input`.
    public static func decode(
        _ input: Span<UInt8>, limits: ReceiptLimits = ReceiptLimits()
    ) throws(ReceiptError) -> (der: [UInt8], encoding: InputEncoding) {
        guard !input.isEmpty, input[0] == derFirstByte else { return try decodeText(input, limits: limits) }
        guard input.count <= limits.inputBytes else { throw tooLarge(limits) }
        return (input.copy(0..<input.count), .der)
    }

    /// The identifier octet of a SEQUENCE. It is also the character "0", but the base64 of a SEQUENCE begins
    /// with "M".
    static let derFirstByte: UInt8 = 0x30

    static func tooLarge(_ limits: ReceiptLimits) -> ReceiptError {
        ReceiptError(.tooLarge, .inputTooLarge(limit: limits.inputBytes))
    }

    static func decodeText(
        _ text: Span<UInt8>, limits: ReceiptLimits
    ) throws(ReceiptError) -> (der: [UInt8], encoding: InputEncoding) {
        guard text.count <= limits.textBytes else { throw tooLarge(limits) }
        var body = 0..<text.count
        if text.starts(with: "\u{FEFF}".utf8) { body = 3..<text.count }
        body = text.trimmed(body)
        guard !body.isEmpty else { throw fault(.empty, at: 0, of: text) }

        let isPEM = text.starts(with: "-----".utf8, at: body.lowerBound)
        if isPEM { body = try pemBody(text, in: body) }
        var decoder = Base64Decoder(characters: body.count)
        var index = body.lowerBound
        while index < body.upperBound {
            index = decoder.appendRun(of: text, from: index, to: body.upperBound)
            guard index < body.upperBound else { break }
            if let fault = decoder.append(text[index]) { throw Self.fault(fault, at: index, of: text) }
            index += 1
        }
        let isURLSafe = decoder.isURLSafe
        let der: [UInt8]
        do throws(Fault) {
            der = try decoder.finish()
        } catch {
            throw fault(error, at: body.upperBound, of: text)
        }
        guard der.count <= limits.inputBytes else { throw tooLarge(limits) }
        return (der, isPEM ? .pem : isURLSafe ? .base64URL : .base64)
    }

    /// Returns the range between `-----BEGIN label-----` and `-----END label-----`, which must be separate
    /// lines.
    private static func pemBody(_ text: Span<UInt8>, in range: Range<Int>) throws(ReceiptError) -> Range<Int>
    {
        let (begin, end) = ("-----BEGIN ".utf8, "-----END ".utf8)
        var firstLine = range.lowerBound
        while firstLine < range.upperBound, !text[firstLine].isLineEnd { firstLine += 1 }
        var lastLine = range.upperBound
        while lastLine > firstLine, !text[lastLine - 1].isLineEnd { lastLine -= 1 }
        // BEGIN and END must be followed by the same label and five hyphens.
        let label = range.lowerBound + begin.count
        let labelAgain = lastLine + end.count
        guard text.starts(with: begin, at: range.lowerBound), text.starts(with: end, at: lastLine),
            firstLine - label >= 5, labelAgain <= range.upperBound,
            text.starts(with: "-----".utf8, at: firstLine - 5),
            text.areEqual(label..<firstLine, labelAgain..<range.upperBound)
        else { throw fault(.pemBoundary, at: range.lowerBound, of: text) }
        return firstLine..<lastLine
    }

    private static func fault(_ fault: Fault, at offset: Int, of text: Span<UInt8>) -> ReceiptError {
        ReceiptError(
            .malformed, .text(fault), offset: offset, field: "input",
            resemblance: InputResemblance(text, faultAt: offset))
    }
}

extension InputEncoding.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the input is empty"
        case .unexpectedByte(let byte):
            "byte 0x\(String(byte, radix: 16)) is neither DER nor base64"
        case .blank: "space inside base64, possibly a + changed in transport"
        case .mixedAlphabets: "mixes base64 and base64url characters"
        case .padding: "base64 padding in the wrong place"
        case .incomplete: "truncated base64"
        case .pemBoundary: "BEGIN and END lines do not match"
        case .severalObjects: "JSON can contain several signed objects, expected one"
        }
    }
}

extension UInt8 {
    var isLineEnd: Bool { self == 0x0A || self == 0x0D }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    var isBlankOrLineEnd: Bool { isLineEnd || isBlank }
}
