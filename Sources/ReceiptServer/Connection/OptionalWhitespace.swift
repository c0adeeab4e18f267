#if Server
    extension String {
        /// The text without the optional whitespace around it (RFC 9110, 5.6.3).
        var withoutOptionalWhitespace: String {
            let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let tail = utf8.drop(while: isBlank)
            return String(Substring(tail.dropLast(tail.reversed().prefix(while: isBlank).count)))
        }
    }
#endif
