import AppReceipt

/// The files of a bundle that are bytes of others, and the facts that say where they stand, for the script to cut them out
/// again.
struct EvidenceParts {
    /// How bytes become a part.
    enum Coding: String {
        case bytes
        /// Of a JSON string: without its backslashes.
        case text
        case base64, base64url

        /// Nil where they are no such text.
        func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            var fault = 0
            switch self {
            case .bytes: return Array(bytes)
            case .text: return bytes.filter { $0 != UInt8(ascii: "\\") }
            case .base64, .base64url:
                var text = bytes.filter { !Self.ignored.contains($0) }
                for index in text.indices where self == .base64url {
                    if text[index] == UInt8(ascii: "-") { text[index] = UInt8(ascii: "+") }
                    if text[index] == UInt8(ascii: "_") { text[index] = UInt8(ascii: "/") }
                }
                text += Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
                return StrictBase64.standard.decode(text.span, fault: &fault)
            }
        }

        /// Blanks, line ends, backslashes of a JSON string, padding.
        private static let ignored: Set<UInt8> = Set(" \t\r\n\\=".utf8)
    }

    var facts: [String] = []
    private(set) var files: [EvidenceFile] = []
    private var places: [String: Int] = [:]

    subscript(name: String) -> [UInt8]? { places[name].map { files[$0].bytes } }

    /// Adds what came, which is no part of anything.
    init(received: [UInt8]) { keep(EvidenceFile("received", received)) }

    /// Adds a file that is not taken from another one.
    mutating func keep(_ file: EvidenceFile) {
        places[file.path] = files.count
        files.append(file)
    }

    /// Adds bytes of a file, decoded, to a part.
    /// - Returns: false where they are not what the coding says.
    @discardableResult
    mutating func add(
        _ name: String, _ coding: Coding, of source: String, _ range: Range<Int>
    ) -> Bool {
        guard let part = cut(name, coding, of: source, range) else { return false }
        if let place = places[name] {
            files[place] = EvidenceFile(name, files[place].bytes + part)
        } else {
            keep(EvidenceFile(name, part))
        }
        return true
    }

    /// Adds a certificate that stands in a file, in PEM.
    mutating func add(certificate name: String, _ coding: Coding, of source: String, _ range: Range<Int>) {
        guard let der = cut(name, coding, of: source, range) else { return }
        keep(EvidenceFile(name, PEM.certificate(der)))
    }

    /// - Returns: nil where there are no such bytes, or they are not what the coding says.
    private mutating func cut(
        _ name: String, _ coding: Coding, of source: String, _ range: Range<Int>
    ) -> [UInt8]? {
        guard let bytes = self[source], range.upperBound <= bytes.count,
            let part = coding.decode(bytes[range])
        else { return nil }
        facts.append("part \(name) \(coding.rawValue) \(source) \(range.lowerBound) \(range.count)")
        return part
    }
}

/// RFC 7468, as OpenSSL writes it.
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
