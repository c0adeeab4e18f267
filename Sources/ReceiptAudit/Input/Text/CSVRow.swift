// RFC 4180, with any delimiter. A field stands in quotes or holds none; in quotes, delimiters and line ends belong to it
// and a quote is written twice.

/// A row taken apart.
struct CSVRow {
    private(set) var fields: [ArraySlice<UInt8>] = []
    /// How many there are, also of those that are not kept.
    private(set) var count = 0

    /// - Parameters:
    ///   - delimiter: what stands between two fields.
    ///   - most: fields that are kept.
    /// - Returns: nil where a quote stands in the wrong place or is not closed.
    init?(
        _ bytes: [UInt8], _ range: Range<Int>, delimiter: UInt8 = UInt8(ascii: ","), keeping most: Int
    ) {
        let end = range.upperBound
        var index = range.lowerBound
        while true {
            let field: ArraySlice<UInt8>
            if index < end, bytes[index] == UInt8(ascii: "\"") {
                guard let quoted = Self.quoted(bytes, &index, end) else { return nil }
                field = quoted
            } else {
                let start = index
                while index < end, bytes[index] != delimiter {
                    if bytes[index] == UInt8(ascii: "\"") { return nil }
                    index += 1
                }
                field = bytes[start..<index]
            }
            count += 1
            if count <= most { fields.append(field) }
            guard index < end else { return }
            guard bytes[index] == delimiter else { return nil }
            index += 1
        }
    }

    /// The content of a field in quotes; `index` goes behind the closing one.
    private static func quoted(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> ArraySlice<UInt8>? {
        var start = index + 1
        var text: [UInt8] = []
        index = start
        while index < end {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let part = bytes[start..<index]
            index += 1
            guard index < end, bytes[index] == UInt8(ascii: "\"") else {
                return text.isEmpty ? part : (text + part)[...]
            }
            // One of two quotes is kept.
            text += part + [UInt8(ascii: "\"")]
            index += 1
            start = index
        }
        return nil
    }
}
