public import AppReceipt

/// Appends JSON to a byte buffer, keys in the order in which they are written.
///
/// JSONEncoder sorts keys or shuffles them, and takes several times as long as the verification that it
/// reports; the contract's objects have a fixed order and a line is reused for the next receipt.
public struct JSONWriter {
    /// What was written, and room behind it: one check of the room for each value, not for each byte.
    private var storage: [UInt8] = []
    private var count = 0
    private var needsComma = false
    /// The text of the chain that was written last; most receipts of a run have the same.
    var lastChain: (certificates: [CertificateFacts], text: [UInt8])?

    public init() {}

    /// UTF-8 of what was written so far.
    public var bytes: [UInt8] { Array(storage[..<count]) }

    /// Starts afresh and keeps the memory.
    public mutating func removeAll() {
        count = 0
        needsComma = false
    }

    /// Ends a line of NDJSON.
    public mutating func endLine() {
        append("\n")
        needsComma = false
    }

    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
    ) {
        open("[")
        for value in elements { element(&self, value) }
        close("]")
    }

    /// Writes a member's name; its value is the next thing written.
    public mutating func key(_ name: StaticString) {
        let comma = needsComma ? 1 : 0
        let length = name.utf8CodeUnitCount
        unsafe withRoom(for: length + 4) { room in
            unsafe room[0] = UInt8(ascii: ",")
            unsafe room[comma] = UInt8(ascii: "\"")
            for index in 0..<length { unsafe room[comma + 1 + index] = name.utf8Start[index] }
            unsafe room[comma + 1 + length] = UInt8(ascii: "\"")
            unsafe room[comma + 2 + length] = UInt8(ascii: ":")
            return comma + length + 3
        }
        needsComma = false
    }

    public mutating func null() { raw("null") }

    public mutating func bool(_ value: Bool?) {
        guard let value else { return null() }
        raw(value ? "true" : "false")
    }

    public mutating func number(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        digits(of: value)
    }

    /// A number as JSON text in quotes: 64-bit identifiers lose precision as JSON numbers.
    public mutating func quoted(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        append("\"")
        digits(of: value)
        append("\"")
    }

    public mutating func date(_ value: Timestamp?) {
        guard let value else { return null() }
        separate()
        unsafe withRoom(for: Timestamp.rfc3339Capacity + 2) { room in
            unsafe room[0] = UInt8(ascii: "\"")
            let count = unsafe value.writeRFC3339(to: UnsafeMutableBufferPointer(rebasing: room[1...]))
            unsafe room[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    public mutating func string(_ value: String?) {
        guard var value else { return null() }
        value.withUTF8 { unsafe string(utf8: $0.span) }
    }

    /// A string whose UTF-8 stands in other bytes.
    mutating func string(utf8: Span<UInt8>) {
        separate()
        // An escape takes six bytes.
        unsafe withRoom(for: 6 * utf8.count + 2) { room in
            unsafe room[0] = UInt8(ascii: "\"")
            var written = 1
            for index in utf8.indices {
                let byte = utf8[index]
                if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F {
                    unsafe room[written] = byte
                    written += 1
                } else {
                    for escaped in Self.escape(byte) {
                        unsafe room[written] = escaped
                        written += 1
                    }
                }
            }
            unsafe room[written] = UInt8(ascii: "\"")
            return written + 1
        }
    }

    /// JSON text as it stands elsewhere.
    mutating func raw(_ text: [UInt8]) {
        separate()
        append(text.span)
    }

    /// The JSON text of a string, on its own.
    mutating func text(of value: String) -> [UInt8] {
        removeAll()
        string(value)
        return bytes
    }

    /// The JSON text that `body` writes.
    static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }

    /// Bytes as lower-case hexadecimal text.
    public mutating func hex(_ value: (some Sequence<UInt8>)?) {
        guard let value else { return null() }
        let bytes = Array(value)
        separate()
        unsafe withRoom(for: 2 * bytes.count + 2) { room in
            unsafe room[0] = UInt8(ascii: "\"")
            for index in bytes.indices {
                unsafe room[2 * index + 1] = hexDigit(bytes[index] >> 4)
                unsafe room[2 * index + 2] = hexDigit(bytes[index] & 15)
            }
            unsafe room[2 * bytes.count + 1] = UInt8(ascii: "\"")
            return 2 * bytes.count + 2
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
        case 0x0A: [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        default: Array("\\u00".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 15)]
        }
    }

    private mutating func digits(of value: some FixedWidthInteger) {
        if value < 0 { append("-") }
        var magnitude = UInt64(value.magnitude)
        unsafe withRoom(for: 20) { room in
            var first = 20
            repeat {
                first -= 1
                unsafe room[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            for index in first..<20 { unsafe room[index - first] = room[index] }
            return 20 - first
        }
    }

    private mutating func raw(_ text: StaticString) {
        separate()
        append(text)
    }

    private mutating func open(_ bracket: StaticString) {
        separate()
        append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: StaticString) {
        append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(",") }
        needsComma = true
    }

    // MARK: - Bytes

    private mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        unsafe withRoom(for: length) { room in
            for index in 0..<length { unsafe room[index] = text.utf8Start[index] }
            return length
        }
    }

    private mutating func append(_ text: Span<UInt8>) {
        unsafe withRoom(for: text.count) { room in
            unsafe text.withUnsafeBufferPointer { _ = unsafe room.update(fromContentsOf: $0) }
            return text.count
        }
    }

    /// Lends room behind what was written; `body` says how much of it it used.
    @inline(__always)
    private mutating func withRoom(for size: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        if storage.count - count < size {
            storage.append(contentsOf: repeatElement(0, count: max(size, storage.count, 4096)))
        }
        let start = count
        count += unsafe storage.withUnsafeMutableBufferPointer { buffer in
            unsafe body(UnsafeMutableBufferPointer(rebasing: buffer[start..<start + size]))
        }
    }
}

private func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
}
