extension String {
    /// The text with its control and formatting characters escaped. Signed text can then neither imitate a
    /// line of a log nor change the text direction.
    package var onOneLine: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.properties.generalCategory.isPlain {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isPlain: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            false
        default: true
        }
    }
}
