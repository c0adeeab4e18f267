/// Strings, which may contain any bytes from untrusted input.
extension JSONWriter {
    @usableFromInline
    package mutating func string(_ value: String?) {
        guard var value else { return null() }
        value.withUTF8 { unsafe string(utf8: $0.span) }
    }

    /// Writes a string whose UTF-8 is part of other bytes.
    @usableFromInline
    package mutating func string(utf8: Span<UInt8>) {
        separate()
        // An escape takes six bytes.
        var end = unsafe room(for: 6 * utf8.count + 2)
        unsafe end.store("\"")
        var index = 0
        if utf8.allWords({ $0.isPlainText }) {
            unsafe utf8.withUnsafeBufferPointer { text in
                guard let first = text.baseAddress else { return }
                unsafe end.update(from: first, count: text.count)
            }
            unsafe end += utf8.count
            index = utf8.count
        }
        while index < utf8.count {
            if unsafe copyPlainWord(of: utf8, at: &index, to: &end) { continue }
            let byte = utf8[index]
            if let length = unsafe escapeControl(in: utf8, at: index, to: &end) {
                index += length
            } else if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                unsafe end.store(byte)
                index += 1
            } else {
                unsafe end.store(escapeOf: byte)
                index += 1
            }
        }
        unsafe end.store("\"")
        unsafe assert(end - start <= count + 6 * utf8.count + 2)
        unsafe count = end - start
    }

    /// Writes JSON that was read without error. Drops the white space between tokens, because a line feed
    /// would end the line. Escapes characters that control a terminal.
    package mutating func json(_ text: Span<UInt8>) {
        separate()
        var end = unsafe room(for: 6 * text.count)
        var isInString = false
        var index = 0
        while index < text.count {
            if isInString {
                if unsafe copyPlainWord(of: text, at: &index, to: &end) { continue }
                if let length = unsafe escapeControl(in: text, at: index, to: &end) {
                    index += length
                    continue
                }
            }
            let byte = text[index]
            index += 1
            switch byte {
            case 0x20 where !isInString, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\") where index < text.count:
                unsafe end.store(byte)
                unsafe end.store(text[index])
                index += 1
                continue
            default: break
            }
            unsafe end.store(byte)
        }
        unsafe count = end - start
    }

    /// Copies the next eight bytes if none of them needs an escape.
    @inline(__always)
    private func copyPlainWord(
        of text: Span<UInt8>, at index: inout Int, to end: inout UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard text.count - index >= 8 else { return false }
        let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        guard word.isPlainText else { return false }
        unsafe UnsafeMutableRawPointer(end).storeBytes(of: word, as: UInt64.self)
        unsafe end += 8
        index += 8
        return true
    }

    /// Escapes a character that controls a terminal, although JSON allows it unescaped.
    /// - Returns: The number of bytes of the character, or nil if it is not such a character.
    @inline(__always)
    private func escapeControl(
        in text: Span<UInt8>, at index: Int, to end: inout UnsafeMutablePointer<UInt8>
    ) -> Int? {
        let byte = text[index]
        guard byte == 0x7F || byte >= 0xC2 else { return nil }
        guard let (scalar, length) = byte == 0x7F ? (0x7F, 1) : Self.control(text, at: index) else {
            return nil
        }
        unsafe end.store(escapeOf: scalar)
        return length
    }

    /// Returns a character outside ASCII that controls a terminal or reorders the text around it, and its
    /// length in bytes. These are C1 controls and the marks of Unicode's bidirectional algorithm.
    private static func control(_ utf8: Span<UInt8>, at index: Int) -> (scalar: UInt16, length: Int)? {
        let left = utf8.count - index
        guard left >= 2 else { return nil }
        let (first, second) = (utf8[index], utf8[index + 1])
        switch (first, second) {
        case (0xC2, 0x80...0x9F): return (UInt16(second), 2)
        case (0xD8, 0x9C): return (0x061C, 2)
        case (0xE2, 0x80...0x81) where left >= 3:
            let scalar = 0x2000 | UInt16(second & 0x3F) << 6 | UInt16(utf8[index + 2] & 0x3F)
            switch scalar {
            case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return (scalar, 3)
            default: return nil
            }
        default: return nil
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate mutating func store(escapeOf byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            unsafe store("\\")
            unsafe store(byte)
        case 0x0A: unsafe store("\\n")
        default: unsafe store(escapeOf: UInt16(byte))
        }
    }

    fileprivate mutating func store(escapeOf scalar: UInt16) {
        unsafe store("\\u")
        for place in 0..<4 {
            unsafe store(hexadecimalDigit(UInt8(truncatingIfNeeded: scalar >> (12 - 4 * place)) & 15))
        }
    }
}
