// POSIX.1-2001, pax and ustar: blocks of 512 bytes. In a header (offset, length): name (0, 100), size (124, 12),
// checksum (148, 8), type (156, 1), linked name (157, 100), magic (257, 6), prefix (345, 155). Extended headers
// (types x and g) carry "length key=value\n" lines. GNU tar: a file of type L holds the name of the next, of type K
// its linked name; a size may be binary where its first bit is set; a sparse file (type S) may have more headers,
// which is said at 482, and in those at 504.

/// A header block of a tar archive.
struct TarHeader {
    static let size = 512

    let name: [UInt8]
    let linkedName: [UInt8]
    /// Bytes that follow, where the type has any.
    let contentSize: Int
    let type: UInt8
    let hasMoreHeaders: Bool

    /// Nil for a block that is no header.
    init?(_ block: [UInt8]) {
        guard block.count == Self.size, Self.hasChecksum(block), let size = Self.number(block[124..<136])
        else { return nil }
        let name = Array(block[0..<100].prefix { $0 != 0 })
        let hasPrefix = block[257..<263].elementsEqual("ustar\0".utf8) && block[345] != 0
        self.name = hasPrefix ? block[345..<500].prefix { $0 != 0 } + [UInt8(ascii: "/")] + name : name
        linkedName = Array(block[157..<257].prefix { $0 != 0 })
        contentSize = size
        type = block[156]
        hasMoreHeaders = type == UInt8(ascii: "S") && block[482] != 0
    }

    /// The sum of the header's bytes, the checksum itself counted as blanks.
    private static func hasChecksum(_ block: [UInt8]) -> Bool {
        var sum = 8 * 0x20
        for index in block.indices where !(148..<156).contains(index) { sum += Int(block[index]) }
        return number(block[148..<156]) == sum
    }

    /// Octal digits between blanks, or binary where the first bit is set.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        if let first = field.first, first & 0x80 != 0 {
            guard first == 0x80, field.dropFirst().prefix(while: { $0 == 0 }).count >= field.count - 8 else {
                return nil
            }
            return Int(exactly: field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }
}

/// What extended headers say of the file that follows them.
struct TarExtension {
    var name: [UInt8]?
    var linkedName: [UInt8]?
    var size: Int?
    var isSparse = false

    /// Whether nothing is said.
    var isEmpty: Bool { name == nil && linkedName == nil && size == nil && !isSparse }

    /// Reads the lines of a pax header; of two that name one key, the last counts.
    /// - Returns: false where they do not read as they should.
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
            switch String(decoding: record[..<equals], as: UTF8.self) {
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
