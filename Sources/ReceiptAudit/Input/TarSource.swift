// POSIX.1-2001, pax and ustar: blocks of 512 bytes, a header and then the file's bytes, padded to whole blocks;
// two blocks of zeros at the end. In the header (offset, length): name (0, 100), size (124, 12), checksum (148, 8),
// type (156, 1), magic (257, 6), prefix (345, 155). Extended headers (type x) carry "length key=value\n" lines.
// GNU tar: a file of type L holds the name of the next; a size may be binary where its first bit is set.

/// The files of a tar archive, each of them one receipt, in the archive's order. Hidden files, links and folders
/// are left out, as they are in a folder.
final class TarSource: BatchSource {
    private let source: String
    private let stream: ByteStream
    /// Bytes that a file may have.
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var offset = 0
    private var place = 1
    private var isAtEnd = false

    private static let block = 512
    private static let batchBytes = 1 << 17

    init(_ stream: ByteStream, source: String, limit: Int) {
        (self.stream, self.source, self.limit) = (stream, source, limit)
    }

    func next() throws -> Batch? {
        var batch = Batch(source: source, firstPlace: place)
        while !isAtEnd, batch.records.count < 64, batch.bytes.count < Self.batchBytes {
            do {
                guard let file = try nextFile() else {
                    isAtEnd = true
                    break
                }
                guard file.size <= limit else {
                    try skip(file.size)
                    batch.records.append(.tooLong(path: file.path))
                    continue
                }
                let first = batch.bytes.count
                try read(file.size, into: &batch.bytes)
                batch.records.append(.member(path: file.path, first..<batch.bytes.count))
            } catch {
                // What stands before the damage is judged; the next call tells of it.
                guard !batch.records.isEmpty else { throw error }
                failure = failure ?? error
                break
            }
        }
        place += batch.records.count
        return batch.records.isEmpty ? nil : batch
    }

    private var failure: (any Error)?

    /// The next regular file's header; nil at the end of the archive.
    private func nextFile() throws -> (path: String, size: Int)? {
        if let failure { throw failure }
        var longName: [UInt8]?
        var longSize: Int?
        while true {
            var header: [UInt8] = []
            let place = offset
            try read(Self.block, into: &header)
            if header.allSatisfy({ $0 == 0 }) {
                try readToEnd()
                return nil
            }
            guard Self.hasChecksum(header), let headerSize = Self.number(header[124..<136]) else {
                throw damaged("no tar header", at: place)
            }
            let size = longSize ?? headerSize
            switch header[156] {
            case UInt8(ascii: "L"), UInt8(ascii: "x"):
                guard headerSize <= 1 << 16 else {
                    throw damaged("a header of \(headerSize) bytes", at: place)
                }
                var text: [UInt8] = []
                try read(headerSize, into: &text)
                if header[156] == UInt8(ascii: "L") {
                    longName = Array(text.prefix { $0 != 0 })
                } else {
                    let records =
                        try Self.paxRecords(text) ?? { throw damaged("an unreadable header", at: place) }()
                    longName = records["path"].map { Array($0) } ?? longName
                    longSize =
                        records["size"].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? longSize
                    if let longSize, longSize < 0 { throw damaged("a negative size", at: place) }
                }
            case 0, UInt8(ascii: "0"), UInt8(ascii: "7"):
                let path = String(decoding: longName ?? Self.name(header), as: UTF8.self)
                let parts = path.split(separator: "/")
                // "." is the folder that was archived.
                if !path.hasSuffix("/"), !parts.contains(where: { $0.hasPrefix(".") && $0 != "." }) {
                    return (path, size)
                }
                (longName, longSize) = (nil, nil)
                try skip(size)
            default:
                (longName, longSize) = (nil, nil)
                // Links and folders have no bytes, whatever their size says.
                if !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(header[156]) { try skip(size) }
            }
        }
    }

    // MARK: - Headers

    private static func name(_ header: [UInt8]) -> [UInt8] {
        let name = Array(header[0..<100].prefix { $0 != 0 })
        guard header[257..<263].elementsEqual("ustar\0".utf8), header[345] != 0 else { return name }
        return header[345..<500].prefix { $0 != 0 } + [UInt8(ascii: "/")] + name
    }

    /// The sum of the header's bytes, the checksum itself counted as blanks.
    private static func hasChecksum(_ header: [UInt8]) -> Bool {
        var sum = 8 * 0x20
        for index in header.indices where !(148..<156).contains(index) { sum += Int(header[index]) }
        return number(header[148..<156]) == sum
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

    private static func paxRecords(_ text: [UInt8]) -> [String: ArraySlice<UInt8>]? {
        var records: [String: ArraySlice<UInt8>] = [:]
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > digits.count + 2,
                length <= rest.count
            else { return nil }
            let record = rest.prefix(length).dropFirst(digits.count + 1)
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")), record.last == 0x0A else {
                return nil
            }
            records[String(decoding: record[..<equals], as: UTF8.self)] = record[(equals + 1)...].dropLast()
            rest = rest.dropFirst(length)
        }
        return records
    }

    // MARK: - Bytes

    /// Appends bytes of the archive; reads on to the next whole block.
    private func read(_ count: Int, into bytes: inout [UInt8]) throws {
        try take(count) { bytes += $0 }
        try take(-count & (Self.block - 1)) { _ in }
    }

    private func skip(_ count: Int) throws {
        try take(count) { _ in }
        try take(-count & (Self.block - 1)) { _ in }
    }

    private func take(_ count: Int, _ body: (ArraySlice<UInt8>) -> Void) throws {
        var left = count
        while left > 0 {
            if start == buffer.count { try fill() }
            guard start < buffer.count else { throw damaged("the archive is cut off", at: offset) }
            let part = min(left, buffer.count - start)
            body(buffer[start..<start + part])
            start += part
            offset += part
            left -= part
        }
    }

    private func fill() throws {
        buffer.removeAll(keepingCapacity: true)
        start = 0
        _ = try stream.append(to: &buffer, upTo: 1 << 16)
    }

    /// What follows the end mark is padding, but a gzip file's checksum stands behind it.
    private func readToEnd() throws {
        repeat { try fill() } while !buffer.isEmpty
    }

    private func damaged(_ what: String, at offset: Int) -> AuditError {
        AuditError("\(stream.name): \(what) at byte \(offset) of the archive")
    }
}
