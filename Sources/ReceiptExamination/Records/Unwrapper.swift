package import AppReceipt
import StrictJSON

/// An unwrapper that removes the layers around a receipt before it is verified.
///
/// Each layer has at most one reading. Text that could be read in two ways, such as a `+` in percent-encoded
/// text, is refused. The result is verified like any other receipt.
package struct Unwrapper {
    /// The removed layers, outermost first.
    private(set) var layers: [Wrapping] = []
    private var bytes: [UInt8] = []
    private let limits: ReceiptLimits

    private static let mostLayers = 5

    package enum Reading {
        /// A signed object, and the layers that were around it.
        case signed(RecognizedInput, [Wrapping])
        /// No object, or text with more than one reading. The value is a message, or nil without one.
        case none(String?)
    }

    /// Returns whether the text may be wrapped. Text that begins like a receipt in base64 or DER is not.
    static func isOfUse(_ text: Span<UInt8>) -> Bool {
        guard text.count > 1 else { return false }
        switch (text[0], text[1]) {
        case (0x30, 0x80...): return false
        case (UInt8(ascii: "M"), UInt8(ascii: "I")): return false
        default: return true
        }
    }

    /// Removes the layers around a signed object. The time is linear in the length of `text`, because the
    /// number of layers is limited, and removing one takes linear time.
    package static func read(_ text: Span<UInt8>, limits: ReceiptLimits) -> Reading {
        guard text.count <= limits.textBytes else { return .none(nil) }
        var unwrapper = Unwrapper(limits: limits)
        unwrapper.bytes = text.copy(0..<text.count)
        while true {
            if let signed = unwrapper.signedObject { return .signed(signed, unwrapper.layers) }
            guard unwrapper.layers.count < mostLayers else { return .none(nil) }
            unwrapper.trim()
            switch unwrapper.step() {
            case .taken(let layer): unwrapper.layers.append(layer)
            case .ambiguous(let message): return .none(message)
            case .nothing where unwrapper.isWrappedAnswer:
                return .signed(.json(unwrapper.bytes), unwrapper.layers)
            case .nothing: return .none(nil)
            }
        }
    }

    /// Whether the content is a wrapped App Store Server API response. A response without a wrapping is
    /// examined elsewhere.
    private var isWrappedAnswer: Bool {
        !layers.isEmpty && bytes.first == UInt8(ascii: "{") && bytes.span.hasSignedMembers(limits)
    }

    /// Whether the content has signed objects, or more members for them than the limits allow.
    private var hasSignedMember: Bool {
        do throws(ReceiptError) {
            let elements = try bytes.span.signedMembers(limits)?.elements ?? []
            return elements.contains { !$0.isNull && $0.text != "" }
        } catch {
            return true
        }
    }

    /// The signed object, if the current bytes are one. JSON is examined elsewhere.
    private var signedObject: RecognizedInput? {
        if bytes.span.isContainer { return .receipt(der: bytes) }
        guard let first = bytes.first(where: { !Self.isSpace($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "e")
        else { return nil }
        if bytes.span.beginsLikeJWS { return try? RecognizedInput(bytes.span, limits: limits) }
        // JSON in base64 begins like a property list in base64. It is examined after the base64 is decoded.
        guard case .transactionReceipt(let list)? = try? RecognizedInput(bytes.span, limits: limits),
            case .transactionReceipt? = try? RecognizedInput(list.span, limits: limits)
        else { return nil }
        return .transactionReceipt(list)
    }

    private enum Step {
        case taken(Wrapping)
        case ambiguous(String)
        case nothing
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func trim() {
        guard let first = bytes.firstIndex(where: { !Self.isSpace($0) }),
            let last = bytes.lastIndex(where: { !Self.isSpace($0) })
        else { return bytes.removeAll() }
        if last < bytes.count - 1 { bytes.removeSubrange((last + 1)...) }
        if first > 0 { bytes.removeSubrange(..<first) }
    }

    /// Removes one layer.
    private mutating func step() -> Step {
        guard let first = bytes.first else { return .nothing }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            var (transcoder, text) = (UTF16Transcoder(isLittleEndian: first == 0xFF), [UInt8]())
            transcoder.append(bytes[2...], to: &text)
            guard transcoder.isWhole else { return .nothing }
            return take(.utf16, text)
        }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard bytes.count > 1, bytes.last == first else { return .nothing }
            return take(.quotes, Array(bytes[1..<bytes.count - 1]))
        }
        if first == UInt8(ascii: "{") {
            // No JSON begins with these two characters, but the content of a JSON string with JSON in it does.
            return bytes.count > 1 && bytes[1] == UInt8(ascii: "\\") ? escaped() : object()
        }
        if bytes.starts(with: Array("data:".utf8)) { return dataURI() }
        if let digits = hexadecimal() { return take(.hexadecimal, digits) }
        if bytes.contains(UInt8(ascii: "%")) { return percentEncoded() }
        if bytes.contains(UInt8(ascii: "\\")) { return escaped() }
        do throws(ReceiptError) {
            let (der, encoding) = try InputEncoding.decode(bytes, limits: limits)
            switch encoding {
            case .der: return .nothing
            case .base64: return take(.base64, der)
            case .base64URL: return take(.base64url, der)
            case .pem: return take(.pem, der)
            }
        } catch {
            return .nothing
        }
    }

    private mutating func take(_ layer: Wrapping, _ content: [UInt8]) -> Step {
        bytes = content
        return .taken(layer)
    }

    private mutating func percentEncoded() -> Step {
        guard !bytes.contains(UInt8(ascii: "+")) else {
            // An image or a web page with these characters is not percent-encoded base64.
            guard bytes.allSatisfy({ $0 == UInt8(ascii: "%") || $0.isOfBase64 }) else { return .nothing }
            return .ambiguous(
                "percent-encoded with a + in it, which may be a plus sign or, as forms write it, a blank")
        }
        guard let text = [UInt8](percentEncoded: bytes) else { return .nothing }
        return take(.percentEncoding, text)
    }

    /// Decodes the escapes of a JSON string without quotes.
    private mutating func escaped() -> Step {
        let quote = [UInt8(ascii: "\"")]
        let json = quote + bytes + quote
        do throws(JSONError) {
            var reader = JSONReader(json.span)
            let text = try reader.text(atMost: .max)
            try reader.end()
            return take(.jsonEscapes, text)
        } catch {
            return .nothing
        }
    }

    private mutating func dataURI() -> Step {
        guard let comma = bytes.prefix(1024).firstIndex(of: UInt8(ascii: ",")) else { return .nothing }
        let content = Array(bytes[(comma + 1)...])
        return take(.dataURI, content)
    }

    private func hexadecimal() -> [UInt8]? {
        var digits = bytes[...]
        if digits.starts(with: Array("0x".utf8)) || digits.starts(with: Array("\\x".utf8)) {
            digits = digits.dropFirst(2)
        }
        // Text shorter than any receipt may consist of hexadecimal digits by chance.
        return digits.count >= 128 ? [UInt8](hexadecimal: digits) : nil
    }

    /// Extracts the receipt from a verifyReceipt response or request, or from the JSON of Unity IAP.
    private mutating func object() -> Step {
        var texts: [(Wrapping, [UInt8])] = []
        var payload: [UInt8]?
        var isUnitys = false
        do throws(JSONError) {
            var reader = JSONReader(bytes.span, maximumMembers: 1 << 16)
            try reader.object { (reader, name) throws(JSONError) in
                guard try reader.peek() == .string else { return try reader.skip() }
                switch name.ifASCII {
                case "latest_receipt": texts.append((.verifyReceiptAnswer, try reader.text(atMost: .max)))
                case "receipt-data": texts.append((.verifyReceiptRequest, try reader.text(atMost: .max)))
                case "Payload": payload = try reader.text(atMost: .max)
                case "Store":
                    let store = String(decoding: try reader.text(atMost: .max), as: UTF8.self).ifASCII
                    isUnitys = store == "AppleAppStore" || store == "MacAppStore"
                default: try reader.skip()
                }
            }
            try reader.end()
        } catch {
            return .nothing
        }
        // Signed objects beside the receipt are examined elsewhere, and the receipt with them.
        if bytes.span.mayHoldSignedMembers, hasSignedMember { return .nothing }
        if isUnitys, let payload { texts.append((.unityReceipt, payload)) }
        guard let (layer, text) = texts.first else { return .nothing }
        guard texts.count == 1 else { return .ambiguous("JSON with several receipts") }
        return take(layer, text)
    }
}

extension UInt8 {
    /// Whether the byte is a character of either base64 alphabet, padding, or white space.
    fileprivate var isOfBase64: Bool {
        isDigit || isLetter || self == 0x20 || (0x09...0x0D).contains(self) || "+/-_=".utf8.contains(self)
    }
}

extension Span<UInt8> {
    /// Whether the bytes begin like a SignedData container: a SEQUENCE with a long-form or indefinite length.
    /// Its first element is the object identifier of SignedData (RFC 5652, 5.1). No text or certificate
    /// begins like this.
    package var isContainer: Bool {
        guard count > 16, self[0] == 0x30, self[1] >= 0x80, self[1] <= 0x84 else { return false }
        let start = 2 + Int(self[1] & 0x7F)
        return extracting(start..<start + signedData.count).equals(signedData)
    }
}

/// The DER encoding of 1.2.840.113549.1.7.2.
private let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
