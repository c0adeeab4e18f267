import SystemLibrary

/// The colors of the output.
struct TerminalStyle {
    enum Color: String {
        case dim = "2"
        case red = "1;31"
        case green = "1;32"
        case yellow = "33"
        case cyan = "36"
    }

    let isColored: Bool

    /// The style of standard output: colored on a terminal that supports it, unless NO_COLOR is set
    /// (no-color.org).
    static var standardOutput: TerminalStyle {
        let isRefused = !(environment("NO_COLOR") ?? "").isEmpty || environment("TERM") ?? "dumb" == "dumb"
        return TerminalStyle(isColored: StandardOutput.isTerminal && !isRefused)
    }

    /// The width of the terminal in columns, or 120 for any other output.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 120 }
        return max(80, Int(size.ws_col))
    }

    func callAsFunction(_ text: String, _ color: Color) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

extension String {
    /// The number of columns on a terminal: two for East Asian wide characters and emoji, none for combining
    /// marks.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }

    package func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns)) + self
    }
}

extension Unicode.Scalar {
    /// The number of columns on a terminal.
    var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        default: isWide ? 2 : 1
        }
    }

    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
