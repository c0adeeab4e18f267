/// A writer of unusual and invalid tar archives.
struct TarWriter {
    private(set) var bytes: [UInt8] = []

    /// Adds an entry.
    ///
    /// - Parameter count: The size in the header, if it differs from the content's.
    mutating func add(
        _ name: some Collection<UInt8>, _ content: [UInt8] = [], type: Character = "0", link: String = "",
        count: Int? = nil, more: Bool = false
    ) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: some Collection<UInt8>, at place: Int) {
            header.replaceSubrange(place..<place + text.count, with: text)
        }
        put(name.prefix(100), at: 0)
        let size = String(count ?? content.count, radix: 8)
        put((String(repeating: "0", count: 11 - size.count) + size).utf8, at: 124)
        put([type.asciiValue ?? 0], at: 156)
        put(link.utf8, at: 157)
        put("ustar\0".utf8 + Array("00".utf8), at: 257)
        if more { header[482] = 1 }
        put("        ".utf8, at: 148)
        let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
        put((String(repeating: "0", count: 6 - sum.count) + sum + "\0 ").utf8, at: 148)
        bytes += header + content + [UInt8](repeating: 0, count: -content.count & 511)
    }

    mutating func add(_ name: String, _ content: [UInt8] = [], type: Character = "0", link: String = "") {
        add(Array(name.utf8), content, type: type, link: link)
    }

    /// Adds the two blocks of zeros at the end.
    mutating func end() { bytes += [UInt8](repeating: 0, count: 1024) }

    mutating func add(raw: some Collection<UInt8>) { bytes += raw }

    static func paxLine(_ key: String, _ value: String) -> [UInt8] {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count + 1
        while String(length).utf8.count + rest.utf8.count != length { length += 1 }
        return Array("\(length)\(rest)".utf8)
    }
}
