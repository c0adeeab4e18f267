// POSIX.1-2001, pax and ustar: blocks of 512 bytes. Fields of a header (offset, length): name (0, 100), size
// (124, 12), checksum (148, 8), type (156, 1), linked name (157, 100), magic (257, 6), prefix (345, 155).
// Extended headers (types x and g) contain "length key=value\n" lines. GNU tar: a file of type L contains the
// name of the next file, and one of type K its linked name. A size is binary if its first bit is set. A
// sparse file (type S) may have more headers, as the byte at 482 states, and in those the byte at 504.

struct TarHeader {
    static let size = 512

    let name: [UInt8]
    let linkedName: [UInt8]
    /// The number of bytes that follow, if the type has content.
    let contentSize: Int
    let type: UInt8
    let hasMoreHeaders: Bool

    /// Reads a header, or returns nil if the block is not one.
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

    /// Returns whether the checksum equals the sum of the header's bytes, with the checksum field counted as
    /// spaces.
    private static func hasChecksum(_ block: [UInt8]) -> Bool {
        var sum = 8 * 0x20
        for index in block.indices where !(148..<156).contains(index) { sum += Int(block[index]) }
        return number(block[148..<156]) == sum
    }

    /// Returns a number in octal digits between spaces, or in binary if the first bit is set.
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
