import StrictJSON

extension [UInt8] {
    /// Decodes percent encoding (RFC 3986, 2.1). Returns nil if two hexadecimal digits do not follow each `%`.
    package init?(percentEncoded text: [UInt8]) {
        self = []
        reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                append(byte)
                continue
            }
            guard let high = rest.next()?.hexadecimalDigit, let low = rest.next()?.hexadecimalDigit else {
                return nil
            }
            append(high << 4 | low)
        }
    }
}
