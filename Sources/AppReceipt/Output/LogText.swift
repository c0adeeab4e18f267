extension String {
    /// The text with its control, formatting and default-ignorable characters escaped. Signed text can then
    /// neither start a line of a log nor change the text direction.
    package var onOneLine: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isSteering {
                text += scalar.shownEscape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character ends lines, reorders text, has no glyph by default, or has no assigned meaning.
    ///
    /// Spaces, combining marks and characters that resemble others are not among them.
    package var isSteering: Bool {
        if properties.isDefaultIgnorableCodePoint { return true }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            true
        default: false
        }
    }

    /// The escape that replaces the character in text for people.
    package var shownEscape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
