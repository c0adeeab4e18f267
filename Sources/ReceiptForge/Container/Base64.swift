/// The base64 and base64url encodings (RFC 4648).
enum Base64 {
    static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let urlSafe = standard.dropLast(2) + Array("-_".utf8)

    /// Returns the bytes in base64.
    /// - Parameter urlSafe: Whether to use the base64url alphabet without padding.
    static func encode(_ bytes: [UInt8], urlSafe: Bool = false) -> [UInt8] {
        let alphabet = urlSafe ? Array(Self.urlSafe) : standard
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = Int(bytes[start]) << 16
            if count > 1 { group |= Int(bytes[start + 1]) << 8 }
            if count > 2 { group |= Int(bytes[start + 2]) }
            for position in 0...count { text.append(alphabet[group >> (18 - 6 * position) & 0x3F]) }
            if !urlSafe { for _ in count..<3 { text.append(0x3D) } }
        }
        return text
    }

    static func wrapped(_ bytes: [UInt8], lineEnd: [UInt8]) -> [UInt8] {
        let text = encode(bytes)
        var lines: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 64) {
            lines += text[start..<min(start + 64, text.count)]
            lines += lineEnd
        }
        return lines
    }
}
