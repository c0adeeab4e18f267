// POSIX.1-1988 ustar: 512-byte blocks, a header with fixed fields before each file, and two zero blocks at
// the end.

/// A reproducible tar archive of bundles. The same files give the same bytes, because entries have no owner
/// and no date.
package enum TarArchive {
    private static let block = 512

    /// Returns the entry of one file.
    /// - Parameter path: An ASCII path. Names of evidence files have at most 100 bytes.
    package static func entry(_ path: String, _ bytes: [UInt8]) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at place: Int) {
            header.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        // A path over 100 bytes is split at a slash. The header has a separate field for the first part.
        var (front, name) = ("", path)
        if name.utf8.count > 100, let slash = name.firstIndex(of: "/") {
            (front, name) = (String(name[..<slash]), String(name[name.index(after: slash)...]))
        }
        put(name, at: 0)
        put(octal(0o644, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(bytes.count, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(front, at: 345)
        put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
        return header + bytes + [UInt8](repeating: 0, count: -bytes.count & (block - 1))
    }

    /// The two zero blocks that end an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * block)

    /// Reads an archive of entries that ``entry(_:_:)`` wrote, and rejects any other.
    /// - Throws: The offset at which the archive differs from this tool's format.
    package static func files(in archive: [UInt8]) throws(Fault) -> [EvidenceFile] {
        var files: [EvidenceFile] = []
        var offset = 0
        while archive.count - offset >= block, archive[offset] != 0 {
            func field(_ start: Int, _ length: Int) -> String {
                let bytes = archive[offset + start..<offset + start + length].prefix { $0 != 0 }
                return String(decoding: bytes, as: UTF8.self)
            }
            let (front, name) = (field(345, 155), field(0, 100))
            let path = front.isEmpty ? name : "\(front)/\(name)"
            guard let count = Int(field(124, 11), radix: 8), count >= 0,
                count <= archive.count - offset - block, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw Fault(offset: offset) }
            let bytes = Array(archive[offset + block..<offset + block + count])
            let entry = entry(path, bytes)
            guard archive[offset...].starts(with: entry) else { throw Fault(offset: offset) }
            files.append(EvidenceFile(path, bytes))
            offset += entry.count
        }
        guard archive[offset...].elementsEqual(end) else { throw Fault(offset: offset) }
        return files
    }

    /// The error for an archive that this tool did not write.
    package struct Fault: Error {
        package let offset: Int
    }
}
