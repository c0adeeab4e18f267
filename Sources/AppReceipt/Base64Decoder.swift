/// RFC 4648 base64, both alphabets, character by character.
///
/// Not Foundation's decoder: that one skips what it does not know, or fails without saying where.
struct Base64Decoder {
    private(set) var bytes: [UInt8] = []
    private(set) var isURLSafe = false
    private var isStandard = false
    private var bits: UInt32 = 0
    /// Characters of the current group of four, padding not counted.
    private var group = 0
    private var padding = 0
    /// A blank was seen: before the line's first character it is indentation, behind it only a line end may
    /// follow.
    private var isBlank = false
    private var isLineStart = true

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Takes one more character; returns what is wrong with it.
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
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits = 0
            group = 0
        }
        return nil
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

    /// Ends the text; returns what is missing.
    mutating func finish() -> InputEncoding.Fault? {
        if padding > 0 && group + padding != 4 { return .padding }
        switch group {
        case 0: return nil
        case 2 where bits & 0xF == 0:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return nil
        case 3 where bits & 0x3 == 0:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            return nil
        default: return .incomplete
        }
    }
}

/// The value of each character in either alphabet; 255 for the others.
private let sextets: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for (value, character) in common.utf8.enumerated() { table[Int(character)] = UInt8(value) }
    for (value, pair) in [(62, "+-"), (63, "/_")] {
        for character in pair.utf8 { table[Int(character)] = UInt8(value) }
    }
    return table
}()
