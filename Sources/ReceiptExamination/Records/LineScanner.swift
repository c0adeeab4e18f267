import AppReceipt
import StrictJSON

/// A reader of a line that consists of plain JSON strings and whole numbers.
struct LineScanner: ~Escapable {
    private let bytes: Span<UInt8>
    private var position: Int
    private let end: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == end
        }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Reads an ASCII string without escapes and returns the range of its content, or nil for anything else.
    mutating func plainString() -> Range<Int>? {
        guard take("\"") else { return nil }
        let start = position
        position += bytes.extracting(position..<end).plainPrefix
        position += bytes.extracting(position..<end).plainStretch
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"), 0..<0x20, 0x80...: return nil
            default: position += 1
            }
        }
        return nil
    }

    /// Reads a plain string with its quotes, or a whole number of up to 18 digits.
    mutating func plainToken() -> Range<Int>? {
        skipSpace()
        let start = position
        guard position < end, (0x30...0x39).contains(bytes[position]) else {
            // The output escapes DEL, but copies tokens unchanged.
            guard let string = plainString(), !string.contains(where: { bytes[$0] == 0x7F }) else {
                return nil
            }
            return string.lowerBound - 1..<string.upperBound + 1
        }
        while position < end, (0x30...0x39).contains(bytes[position]) { position += 1 }
        let count = position - start
        guard count <= 18, count == 1 || bytes[start] != 0x30, position < end else { return nil }
        // A number with a fraction or an exponent is not a whole number.
        switch bytes[position] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), 0x20, 0x09, 0x0D: return start..<position
        default: return nil
        }
    }

    private mutating func skipSpace() {
        while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 || bytes[position] == 0x0D {
            position += 1
        }
    }
}
