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

    /// Takes groups of four characters of the standard alphabet for as long as nothing else comes, several
    /// times as fast as ``append(_:)``; returns the index of the first character that it left.
    mutating func appendRun(of text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        guard group == 0, padding == 0, !isBlank, !isURLSafe else { return start }
        var index = start
        // Bounded pieces: room for all that is left would be cleared again for every line of a wrapped text.
        while end - index >= 4 {
            let piece = min(end - index, 4096) & ~3
            let taken = appendGroups(of: text, from: index, count: piece)
            index += taken
            if taken < piece { break }
        }
        if index > start { isLineStart = false }
        return index
    }

    /// Takes up to `count` characters, a multiple of four; returns how many.
    private mutating func appendGroups(of text: Span<UInt8>, from start: Int, count: Int) -> Int {
        let table = groupSextets
        let first = bytes.count
        var taken = 0
        var flags: UInt8 = 0
        bytes.append(contentsOf: repeatElement(0, count: count / 4 * 3))
        unsafe bytes.withUnsafeMutableBufferPointer { output in
            unsafe table.withUnsafeBufferPointer { table in
                var target = first
                while taken < count {
                    let word = unsafe UInt32(
                        littleEndian: text.bytes.unsafeLoadUnaligned(
                            fromByteOffset: start + taken, as: UInt32.self))
                    let (a, b) = unsafe (table[Int(word & 0xFF)], table[Int(word >> 8 & 0xFF)])
                    let (c, d) = unsafe (table[Int(word >> 16 & 0xFF)], table[Int(word >> 24)])
                    let all = a | b | c | d
                    if all & notInAlphabet != 0 { break }
                    flags |= all
                    unsafe output[target] = a << 2 | (b & 0x3F) >> 4
                    unsafe output[target + 1] = b << 4 | (c & 0x3F) >> 2
                    unsafe output[target + 2] = c << 6 | (d & 0x3F)
                    target += 3
                    taken += 4
                }
            }
        }
        bytes.removeLast((count - taken) / 4 * 3)
        if flags & ofOneAlphabet != 0 { isStandard = true }
        return taken
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

private let notInAlphabet: UInt8 = 0x80
private let ofOneAlphabet: UInt8 = 0x40

/// The value of each character of the standard alphabet in the low six bits, and what else there is to know
/// of it.
private let groupSextets: [UInt8] = {
    var table = sextets.map { $0 < 62 ? $0 : notInAlphabet }
    table[Int(UInt8(ascii: "+"))] = 62 | ofOneAlphabet
    table[Int(UInt8(ascii: "/"))] = 63 | ofOneAlphabet
    return table
}()
