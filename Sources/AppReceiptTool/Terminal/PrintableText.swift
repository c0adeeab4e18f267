extension String {
    /// The same text with whatever could steer a terminal, or turn the order of its characters, written as
    /// `\u{…}`.
    var printable: String {
        guard unicodeScalars.contains(where: \.isHarmful) else { return self }
        // Of bytes: a scalar that is appended to a string's view of them copies the string.
        var text: [UInt8] = []
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            text += scalar.isHarmful ? "\\u{\(String(scalar.value, radix: 16))}".utf8 : String(scalar).utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A text of the input as it is shown: printable, and where it is longer than anything that is meant to be read,
    /// its start, its end and its length.
    var shown: String { printable.shortened(to: 400) }

    /// The text, or its start, its end and its length where it has more than `limit` characters.
    func shortened(to limit: Int) -> String {
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
