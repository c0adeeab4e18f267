/// A valid string between its quotes, with escapes unresolved.
struct RawString {
    let range: Range<Int>
    let hasEscapes: Bool

    /// Appends the string as UTF-8, with escapes resolved.
    func append(to text: inout [UInt8], of bytes: Span<UInt8>) {
        guard hasEscapes else {
            return unsafe bytes.extracting(range).withUnsafeBufferPointer {
                unsafe text.append(contentsOf: $0)
            }
        }
        var cursor = range.lowerBound
        while cursor < range.upperBound {
            if bytes[cursor] == UInt8(ascii: "\\") {
                cursor = appendEscape(at: cursor, to: &text, of: bytes)
            } else {
                text.append(bytes[cursor])
                cursor += 1
            }
        }
    }

    func text(of bytes: Span<UInt8>) -> String {
        guard hasEscapes else {
            return unsafe bytes.extracting(range).withUnsafeBufferPointer {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        }
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        append(to: &text, of: bytes)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the character of the escape at `offset`.
    /// - Returns: the offset after the escape.
    private func appendEscape(at offset: Int, to text: inout [UInt8], of bytes: Span<UInt8>) -> Int {
        switch bytes[offset + 1] {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let (scalar, end) = bytes.escapedScalar(at: offset) else { return range.upperBound }
            text += UTF8.encode(scalar).map(Array.init) ?? []
            return end
        case let byte: text.append(byte)
        }
        return offset + 2
    }
}

extension Span<UInt8> {
    /// Returns the character of `\uXXXX`, or of two such escapes that form a surrogate pair, and the offset
    /// after it. Returns nil for one half of a pair and for other bytes.
    fileprivate func escapedScalar(at offset: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        guard let unit = escapedUnit(at: offset) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, offset + 6) }
        guard unit < 0xDC00, let low = escapedUnit(at: offset + 6), (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + UInt32(unit - 0xD800) << 10 + UInt32(low - 0xDC00))
        else { return nil }
        return (scalar, offset + 12)
    }

    private func escapedUnit(at offset: Int) -> UInt16? {
        guard count - offset >= 6, self[offset] == UInt8(ascii: "\\"), self[offset + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        var unit: UInt16 = 0
        for index in offset + 2..<offset + 6 {
            guard let digit = self[index].hexadecimalDigit else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

extension JSONReader {
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    mutating func scan(_ literal: StaticString) throws(JSONError) {
        for index in 0..<literal.utf8CodeUnitCount {
            guard let byte = current, unsafe byte == literal.utf8Start[index] else { throw unexpected() }
            position += 1
        }
    }

    /// Consumes a number.
    /// - Returns: true if it has neither a fraction nor an exponent.
    mutating func scanNumber() throws(JSONError) -> Bool {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
            // RFC 8259, 6: leading zeros are not allowed.
            if let byte = current, byte.isDigit { throw unexpected() }
        } else {
            try scanDigits()
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try scanDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try scanDigits()
        }
        return isInteger
    }

    private mutating func scanDigits() throws(JSONError) {
        guard let byte = current, byte.isDigit else { throw unexpected() }
        while let byte = current, byte.isDigit { position += 1 }
    }

    /// Consumes a string and validates its UTF-8 and escapes.
    mutating func scanString() throws(JSONError) -> RawString {
        position += 1
        let start = position
        var hasEscapes = false
        while true {
            let run = position
            while position - run < 64, bytes.count - position >= 8,
                unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self).oddities
                    == 0
            {
                position += 8
            }
            // Most strings are names and numbers. A longer string is usually a signed object.
            if position - run == 64 { position += bytes.extracting(position...).plainStretch }
            guard let byte = current else { throw unexpected() }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return RawString(range: start..<position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0..<0x20: throw error(.controlCharacter, at: position)
            case 0x20..<0x80: position += 1
            default: try scanSequence()
            }
        }
    }

    private mutating func scanEscape() throws(JSONError) {
        guard position + 1 < bytes.count else { throw error(.truncated, at: bytes.count) }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            for index in position + 2..<position + 6 {
                guard index < bytes.count else { throw error(.truncated, at: bytes.count) }
                guard bytes[index].hexadecimalDigit != nil else { throw error(.invalidEscape, at: position) }
            }
            guard let (_, end) = bytes.escapedScalar(at: position) else {
                throw error(.loneSurrogate, at: position)
            }
            position = end
        default: throw error(.invalidEscape, at: position)
        }
    }

    /// Consumes a character outside ASCII (Unicode, table 3-7, Well-Formed UTF-8 Byte Sequences).
    private mutating func scanSequence() throws(JSONError) {
        let (second, count): (ClosedRange<UInt8>, Int) =
            switch bytes[position] {
            case 0xC2...0xDF: (0x80...0xBF, 2)
            case 0xE0: (0xA0...0xBF, 3)
            case 0xED: (0x80...0x9F, 3)
            case 0xE1...0xEF: (0x80...0xBF, 3)
            case 0xF0: (0x90...0xBF, 4)
            case 0xF1...0xF3: (0x80...0xBF, 4)
            case 0xF4: (0x80...0x8F, 4)
            default: throw error(.invalidUTF8, at: position)
            }
        guard bytes.count - position >= count, second.contains(bytes[position + 1]) else {
            throw error(.invalidUTF8, at: position)
        }
        for index in position + 2..<position + count where bytes[index] & 0xC0 != 0x80 {
            throw error(.invalidUTF8, at: position)
        }
        position += count
    }
}
