extension String {
    /// The text with characters that control a terminal or change text direction written as `\u{…}`.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isHarmful) else { return self }
        // An array of bytes, because appending to the string's view of scalars copies the string.
        var text: [UInt8] = []
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            text += scalar.isHarmful ? "\\u{\(String(scalar.value, radix: 16))}".utf8 : String(scalar).utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text for display: printable, and shortened to start, end and length if it is very long.
    package var shown: String { printable.shortened(to: 400) }

    /// Returns the text, or its start, end and length if it has more than `limit` characters.
    package func shortened(to limit: Int) -> String {
        let scalars = unicodeScalars
        guard utf8.count > limit, scalars.count > limit else { return self }
        let length = " (\(scalars.count) characters)"
        let room = max(limit - 1 - length.utf8.count, 2)
        let start = scalars.index(scalars.startIndex, offsetBy: room - room / 2)
        let end = scalars.index(scalars.endIndex, offsetBy: -(room / 2))
        return "\(self[..<start])…\(self[end...])\(length)"
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmful: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
