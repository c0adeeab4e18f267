import AppReceipt

extension Check {
    /// Text encodings. The result must equal that of the second decoder.
    static let encodings = Check(
        name: "encodings", form: .bytes, longest: 512,
        seeds: {
            try Fixtures.files(in: "receipts").map(\.bytes).filter { $0.first != 0x30 }.map {
                Array($0.prefix(500))
            }
                + [
                    "MAT7//4+", "MAT7__4-", "  MAT7\r\n\t//4+ \t\r\n", "\u{FEFF}MAQBAg==",
                    "-----BEGIN PKCS7-----\nMAQBAgM=\n-----END PKCS7-----\n",
                ].map { Array($0.utf8) }
        }
    ) { bytes in
        let second = secondDecoding(of: bytes)
        do throws(ReceiptError) {
            let (der, encoding) = try InputEncoding.decode(bytes)
            let fault =
                der == second ? nil : "the second decoder reads \(second.map { "\($0)" } ?? "nothing")"
            return Outcome(answer: "\(encoding), \(der.count) bytes", fault: fault)
        } catch {
            let isInside = (0...bytes.count).contains(error.offset ?? 0)
            let fault =
                second != nil ? "the second decoder reads it" : isInside ? nil : "the offset lies outside"
            return Outcome(answer: error.place, fault: fault)
        }
    }
}

/// Decodes base64 and PEM a second time, line by line.
private func secondDecoding(of bytes: [UInt8]) -> [UInt8]? {
    if bytes.first == 0x30 { return bytes }
    func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop { $0 == 0x20 || $0 == 0x09 }
        while line.last == 0x20 || line.last == 0x09 { line = line.dropLast() }
        return line
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var lines = text.split { $0 == 0x0A || $0 == 0x0D }
    // Blanks at both ends of the whole text are ignored. Blanks after a boundary inside the text are not.
    while let first = lines.first, trimmed(first).isEmpty { lines.removeFirst() }
    while let last = lines.last, trimmed(last).isEmpty { lines.removeLast() }
    guard !lines.isEmpty else { return nil }
    lines[0] = lines[0].drop { $0 == 0x20 || $0 == 0x09 }
    if lines[0].starts(with: "-----".utf8) {
        while let end = lines[lines.count - 1].last, end == 0x20 || end == 0x09 {
            lines[lines.count - 1].removeLast()
        }
        let (first, last) = (lines[0], lines[lines.count - 1])
        let (begin, end) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))
        guard lines.count >= 2, first.starts(with: begin), last.starts(with: end),
            first.dropFirst(begin.count).elementsEqual(last.dropFirst(end.count)),
            first.count >= begin.count + 5, first.suffix(5).elementsEqual("-----".utf8)
        else { return nil }
        lines = Array(lines.dropFirst().dropLast())
    }
    return secondBase64(lines.flatMap(trimmed))
}

private func secondBase64(_ text: [UInt8]) -> [UInt8]? {
    let body = text.prefix { $0 != 0x3D }
    let padding = text.count - body.count
    guard text.dropFirst(body.count).allSatisfy({ $0 == 0x3D }),
        padding == 0 || (body.count + padding) % 4 == 0,
        padding <= 2, body.count % 4 != 1
    else { return nil }
    var (isPlain, isURLSafe) = (false, false)
    var bytes: [UInt8] = []
    var bits = 0
    var pending: UInt32 = 0
    for character in body {
        let value: UInt8
        switch character {
        case 0x41...0x5A: value = character - 0x41
        case 0x61...0x7A: value = character - 0x61 + 26
        case 0x30...0x39: value = character - 0x30 + 52
        case 0x2B, 0x2F: (value, isPlain) = (character == 0x2B ? 62 : 63, true)
        case 0x2D, 0x5F: (value, isURLSafe) = (character == 0x2D ? 62 : 63, true)
        default: return nil
        }
        (pending, bits) = (pending << 6 | UInt32(value), bits + 6)
        if bits >= 8 {
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            pending &= (1 << UInt32(bits)) - 1
        }
    }
    return pending == 0 && !(isPlain && isURLSafe) ? bytes : nil
}
