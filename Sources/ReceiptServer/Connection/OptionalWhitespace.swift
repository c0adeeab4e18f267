#if Server
    extension StringProtocol {
        /// The text without the optional whitespace around it (RFC 9110, 5.6.3).
        var withoutOptionalWhitespace: String {
            let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
            let tail = drop(while: isBlank)
            return String(tail.dropLast(tail.reversed().prefix(while: isBlank).count))
        }
    }
#endif
