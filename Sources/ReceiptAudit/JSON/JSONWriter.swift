public import AppReceipt

/// Appends JSON to a byte buffer, keys in the order in which they are written.
///
/// JSONEncoder sorts keys or shuffles them, and takes several times as long as the verification that it
/// reports; the contract's objects have a fixed order and a line is reused for the next receipt.
public struct JSONWriter {
    /// UTF-8 of what was written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// Starts afresh and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Ends a line of NDJSON.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
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
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
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
        bytes.append(UInt8(ascii: "\""))
        digits(of: value)
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func date(_ value: Timestamp?) { string(value?.rfc3339) }

    public mutating func string(_ value: String?) {
        guard var value else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.withUTF8 { utf8 in
            for unsafe byte in unsafe utf8 { append(escaping: byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// JSON text as it stands elsewhere.
    mutating func raw(_ text: [UInt8]) {
        separate()
        bytes += text
    }

    /// The JSON text of a string, on its own.
    mutating func text(of value: String) -> [UInt8] {
        removeAll()
        string(value)
        return bytes
    }

    /// Bytes as lower-case hexadecimal text.
    public mutating func hex(_ value: (some Sequence<UInt8>)?) {
        guard let value else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value {
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A:
            bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
        case 0..<0x20, 0x7F:
            bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u"), 0x30, 0x30])
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        default:
            bytes.append(byte)
        }
    }

    private func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
    }

    private mutating func digits(of value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var magnitude = UInt64(value.magnitude)
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
            magnitude /= 10
        } while magnitude > 0
        bytes[start...].reverse()
    }

    private mutating func raw(_ text: StaticString) {
        separate()
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
