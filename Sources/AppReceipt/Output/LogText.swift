extension String {
    /// The text with its control and formatting characters escaped. Signed text can then neither imitate a
    /// line of a log nor change the text direction.
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
    /// Whether the character ends lines, is invisible or reorders text.
    package var isSteering: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            true
        default: false
        }
    }

    /// The escape that stands for the character where people read it.
    package var shownEscape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
