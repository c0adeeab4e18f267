import CReceiptCrypto

/// A decoder of RFC 4648 base64 in both alphabets, one character at a time.
///
/// Foundation's decoder either skips unknown characters or fails without their position.
struct Base64Decoder {
    private var bytes: [UInt8] = []
    private(set) var isURLSafe = false
    private var isStandard = false
    private var bits: UInt32 = 0
    /// The number of characters in the current group of four, without padding.
    private var group = 0
    private var padding = 0
    /// Whether the line has a blank after its first character. Then only a line end may follow. Earlier
    /// blanks are indentation and have no effect.
    private var isBlank = false
    private var isLineStart = true

    /// Creates a decoder.
    /// - Parameter characters: the maximum number of characters to decode.
    init(characters: Int) { bytes.reserveCapacity(Self.room(for: characters)) }

    /// Returns the capacity for this number of characters. The fast path writes whole blocks, so the last one
    /// extends beyond the decoded bytes.
    private static func room(for characters: Int) -> Int { characters / 4 * 3 + 32 }

    /// Decodes one character and returns its fault, if any.
    mutating func append(_ character: UInt8) -> InputEncoding.Fault? {
        let value = sextets[Int(character)]
        guard value < 64, !isBlank, padding == 0 else { return appendOther(character, value) }
        isLineStart = false
        if value >= 62 {
            if character == UInt8(ascii: "+") || character == UInt8(ascii: "/") {
                isStandard = true
            } else {
                isURLSafe = true
            }
            if isStandard && isURLSafe { return .mixedAlphabets }
        }
        bits = bits << 6 | UInt32(value)
        group += 1
        if group == 4 {
            appendByte(bits >> 16)
            appendByte(bits >> 8)
            appendByte(bits)
            bits = 0
            group = 0
        }
        return nil
    }

    /// Decodes as many characters as the fast path can, many times as fast as ``append(_:)``. Returns the
    /// index of the first character left. Decodes none in the middle of a line, because only the short end of
    /// a line is left there.
    mutating func appendRun(of text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        guard isLineStart, group == 0, padding == 0, !isURLSafe, !text[start].isBlankOrLineEnd else {
            return start
        }
        var hasPlusOrSlash = false
        var taken = 0
        bytes.append(addingCapacity: Self.room(for: end - start)) { room in
            unsafe room.withUnsafeMutableBufferPointer { buffer, filled in
                guard let first = buffer.baseAddress else { return }
                taken = unsafe text.extracting(start..<end).withSlice { text in
                    unsafe receipt_crypto_base64(text, first, buffer.count, &hasPlusOrSlash)
                }
                filled = taken / 4 * 3
            }
        }
        if hasPlusOrSlash { isStandard = true }
        if taken > 0 { isLineStart = false }
        return start + taken
    }

    private mutating func appendOther(_ character: UInt8, _ value: UInt8) -> InputEncoding.Fault? {
        if character.isLineEnd {
            isBlank = false
            isLineStart = true
            return nil
        }
        if character.isBlank {
            isBlank = !isLineStart
            return nil
        }
        if isBlank { return .blank }
        if character == UInt8(ascii: "=") {
            padding += 1
            return group >= 2 && group + padding <= 4 ? nil : .padding
        }
        return value < 64 ? .padding : .unexpectedByte(character)
    }

    private mutating func appendByte(_ bits: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: bits))
    }

    /// Finishes the text and returns the decoded bytes.
    /// - Throws: the fault of an incomplete text.
    mutating func finish() throws(InputEncoding.Fault) -> [UInt8] {
        if padding > 0 && group + padding != 4 { throw .padding }
        switch group {
        case 0: break
        case 2 where bits & 0xF == 0:
            appendByte(bits >> 4)
        case 3 where bits & 0x3 == 0:
            appendByte(bits >> 10)
            appendByte(bits >> 2)
        default: throw .incomplete
        }
        return bytes
    }
}

/// The value of each character in either alphabet; 255 for other characters.
private let sextets: [UInt8] = zip(standardSextets, urlSextets).map { min($0, $1) }
