import StrictJSON

/// The values of extended headers for the next file.
struct TarExtension {
    var name: [UInt8]?
    var linkedName: [UInt8]?
    var size: Int?
    var isSparse = false

    /// Whether there are no values.
    var isEmpty: Bool { name == nil && linkedName == nil && size == nil && !isSparse }

    /// Reads the lines of a pax header. If a key occurs twice, the last value counts.
    /// - Returns: False if the header is malformed.
    mutating func add(pax text: [UInt8]) -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > digits.count + 2,
                length <= rest.count
            else { return false }
            let record = rest.prefix(length).dropFirst(digits.count + 1)
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")), record.last == 0x0A else {
                return false
            }
            let value = record[(equals + 1)...].dropLast()
            switch String(decoding: record[..<equals], as: UTF8.self).ifASCII {
            case "path", "GNU.sparse.name": name = Array(value)
            case "linkpath": linkedName = Array(value)
            case "size":
                guard let number = Int(String(decoding: value, as: UTF8.self)), number >= 0 else {
                    return false
                }
                size = number
            case let key where key.hasPrefix("GNU.sparse."): isSparse = true
            default: break
            }
            rest = rest.dropFirst(length)
        }
        return true
    }
}
