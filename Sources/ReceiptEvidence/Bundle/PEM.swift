/// The PEM encoding (RFC 7468) with OpenSSL's line length.
enum PEM {
    static func certificate(_ der: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN CERTIFICATE-----\n".utf8)
        var rest = base64(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64)
            text.append(UInt8(ascii: "\n"))
            rest = rest.dropFirst(64)
        }
        return text + "-----END CERTIFICATE-----\n".utf8
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let octets = bytes[start..<min(start + 3, bytes.count)]
            let bits = octets.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - octets.count))
            for sextet in 0..<4 {
                text.append(
                    sextet <= octets.count
                        ? alphabet[bits >> (18 - 6 * sextet) & 63] : UInt8(ascii: "="))
            }
        }
        return text
    }
}
