import StrictJSON

/// The escapes of text and blobs in SQL dumps.
enum SQLEscapes {
    static let backslash = UInt8(ascii: "\\")

    /// Returns the bytes of a blob in hexadecimal, or its text if it is invalid or beyond the limit.
    static func blob(_ digits: ArraySlice<UInt8>, _ room: Int) -> [UInt8] {
        let bytes = digits.count <= room ? [UInt8](hexadecimal: digits) : nil
        return bytes ?? Array("0x".utf8) + digits
    }

    static func replacing(_ pattern: [UInt8], with byte: UInt8, in text: [UInt8]) -> [UInt8] {
        guard let first = pattern.first else { return text }
        return rewriting(text[...], at: first) { rest in
            guard rest.starts(with: pattern.dropFirst()) else { return first }
            rest = rest.dropFirst(pattern.count - 1)
            return byte
        } ?? text
    }

    /// Removes the escapes of `unistr`, or returns nil if one is neither a backslash nor an ASCII character.
    static func withoutEscapes(_ text: [UInt8]) -> [UInt8]? {
        rewriting(text[...], at: backslash) { rest in
            if rest.first == backslash { return rest.removeFirst() }
            guard rest.first == UInt8(ascii: "u"), rest.count >= 5,
                let byte = UInt8(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16),
                byte < 0x80
            else { return nil }
            rest = rest.dropFirst(5)
            return byte
        }
    }

    /// Replaces each `mark` in a text, or returns nil if `read` does.
    /// - Parameter read: The closure that takes the text after the mark that belongs to it, and returns the replacement.
    private static func rewriting(
        _ text: ArraySlice<UInt8>, at mark: UInt8, _ read: (inout ArraySlice<UInt8>) -> UInt8?
    ) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let place = rest.firstIndex(of: mark) {
            result += rest[..<place]
            rest = rest[(place + 1)...]
            guard let byte = read(&rest) else { return nil }
            result.append(byte)
        }
        result += rest
        return result
    }

    /// Returns the character that MySQL and PostgreSQL write after a backslash.
    static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): 0
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): 0x0B
        case UInt8(ascii: "Z"): 0x1A
        default: byte
        }
    }

    /// Removes the escapes of a field of `COPY`.
    static func copied(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var field = field
        // A last backslash without a character after it is dropped.
        let backslashes = field.reversed().prefix { $0 == backslash }.count
        if !backslashes.isMultiple(of: 2) { field.removeLast() }
        return rewriting(field, at: backslash) { rest in
            let escaped = rest.removeFirst()
            guard (0x30...0x37).contains(escaped) else {
                return escaped == UInt8(ascii: "Z") ? escaped : unescaped(escaped)
            }
            let digits = [escaped] + rest.prefix(2).prefix { (0x30...0x37).contains($0) }
            rest = rest.dropFirst(digits.count - 1)
            return UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) })
        } ?? []
    }
}
