// Bytes that are not BER, or that exhaust the stack or memory of a careless parser.
extension HostileVariant {
    static let encoding: [HostileVariant] = [
        bytes("empty", "no bytes") { $0 = [] },
        bytes("one-byte", "only the first byte") { $0 = [0x30] },
        bytes("zeros", "a thousand zeros") { $0 = Array(repeating: 0, count: 1_000) },
        bytes("truncated-half", "half of a receipt") { $0.removeLast($0.count / 2) },
        bytes("truncated-last-byte", "the last byte is missing") { $0.removeLast() },
        bytes("trailing-byte", "a zero byte after the receipt") { $0.append(0) },
        bytes("trailing-receipt", "the receipt twice") { $0 += $0 },
        bytes("above-16-mib", "more bytes than the limit", .tooLarge, or: [.malformed]) {
            $0 += Array(repeating: 0, count: 17 << 20)
        },
        container("length-not-minimal", "a length of more bytes than necessary", .genuine, or: [.malformed]) {
            $0.outerLength = .padded(octets: 4)
        },
        container("length-leading-zeros", "a length of 126 bytes, mostly zeros", or: [.genuine]) {
            $0.outerLength = .padded(octets: 126)
        },
        container("length-4-gib", "a length of nearly 4 GiB") {
            $0.outerLength = .written([0x84, 0xFF, 0xFF, 0xFF, 0xFF])
        },
        container("length-int64-max", "the largest signed length") {
            $0.outerLength = .written([0x88, 0x7F] + Array(repeating: 0xFF, count: 7))
        },
        container("length-minus-one", "a length that becomes -1 if it wraps") {
            $0.outerLength = .written([0x88] + Array(repeating: 0xFF, count: 8))
        },
        container("length-reserved", "the reserved length FF") { $0.outerLength = .written([0xFF]) },
        container("length-content-too-long", "the content claims to extend past its field") {
            $0.eContentLength = .written([0x83, 0x01, 0x00, 0x00])
        },
        container("length-content-too-short", "the content claims to end early") {
            $0.eContentLength = .written([0x10])
        },
        container("indefinite-without-end", "an indefinite length without end-of-contents") {
            $0.outerLength = .indefiniteWithoutEnd
        },
        HostileVariant("indefinite-cut", "Xcode's format without the last end-of-contents", .malformed) {
            $0.form = .ber(chunkSize: 1_024)
            $0.editReceipt { $0.removeLast(2) }
        },
        container("indefinite-primitive", "a primitive OCTET STRING of indefinite length") {
            $0.eContentLength = .indefinite
        },
        bytes("nesting-definite", "100,000 nested SEQUENCEs", or: [.tooLarge]) {
            $0 = nested(depth: 100_000)
        },
        bytes("nesting-open", "the headers of 100,000 nested SEQUENCEs, without content", or: [.tooLarge]) {
            $0 = (0..<100_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
        },
        bytes("nesting-closed", "100,000 nested SEQUENCEs of indefinite length", or: [.tooLarge]) {
            $0 = (0..<100_000).flatMap { _ in [0x30, 0x80] as [UInt8] } + Array(repeating: 0, count: 200_000)
        },
        added(
            "nesting-in-purchase", "100,000 nested SEQUENCEs as a purchase",
            ReceiptAttribute(17, value: nested(depth: 100_000)), or: [.tooLarge]),
        bytes("text", "text instead of a receipt") { $0 = Array("not a receipt".utf8) },
        bytes("der-of-nothing", "an empty SEQUENCE") { $0 = BER.sequence() },
    ]

    /// Returns nested SEQUENCEs. The loop builds them from the inside out, last byte first.
    @Sendable private static func nested(depth: Int) -> [UInt8] {
        var reversed: [UInt8] = []
        for _ in 0..<depth {
            reversed += BER.header(BER.Tag.sequence, count: reversed.count).reversed()
        }
        return reversed.reversed()
    }
}
