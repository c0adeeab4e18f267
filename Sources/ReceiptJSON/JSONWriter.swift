package import AppReceipt
import StrictJSON

/// Writes the contract's objects one after the other into one buffer, members in the contract's order.
///
/// JSONEncoder sorts keys or shuffles them, and takes several times as long as the verification that it
/// reports; the contract's objects have a fixed order and a line is reused for the next receipt.
///
/// The buffer is its own and not an Array: a line has hundreds of pieces of a few bytes, and to ask an Array
/// for each whether it is shared costs more than the bytes.
@safe
public struct JSONWriter: ~Copyable {
    var start = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)
    /// Bytes for which there is memory.
    package private(set) var capacity = 4096
    /// Bytes that were written so far.
    package internal(set) var count = 0
    private var needsComma = false
    /// Whether lines are written without what follows from the signed bytes.
    package var isStating = false
    /// What follows from the signed bytes in the line that was written last: its members from `signature` on, up to
    /// `eligibility`, with the comma before them. Empty where nothing was verified.
    private var implied = 0..<0
    /// The text of the chain that was written last; most receipts of a run have the same.
    var lastChain: (certificates: [CertificateFacts], text: [UInt8])?

    /// Nothing was written yet.
    public init() {}

    deinit { unsafe start.deallocate() }

    /// UTF-8 of what was written so far.
    public var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Lends the last line without what follows from the signed bytes: two stretches, one behind the other.
    /// - Parameter start: of the line.
    package func withStatement<Value>(
        from start: Int, _ body: (_ first: Span<UInt8>, _ second: Span<UInt8>) -> Value
    ) -> Value {
        unsafe withBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self).span
            return body(
                bytes.extracting(start..<max(start, implied.lowerBound)),
                bytes.extracting(max(start, implied.upperBound)..<count))
        }
    }

    /// Begins a line of which nothing follows from signed bytes yet.
    mutating func beginStatement() { implied = count..<count }

    /// Writes members that follow from the signed bytes.
    @inline(__always)
    mutating func implied(_ members: (inout JSONWriter) -> Void) {
        let start = count
        if !isStating { members(&self) }
        implied = start..<count
    }

    /// Starts afresh and keeps the memory.
    public mutating func removeAll() {
        count = 0
        needsComma = false
    }

    /// Takes back what was written behind a line's end.
    package mutating func remove(from end: Int) {
        count = min(count, end)
        needsComma = false
    }

    /// Ends a line of NDJSON.
    public mutating func endLine() {
        append("\n")
        needsComma = false
    }

    @inline(__always)
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    @inline(__always)
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
    ) {
        array { json in
            for value in elements { element(&json, value) }
        }
    }

    /// - Parameter elements: writes them all.
    @inline(__always)
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    /// Writes a member's name; its value is the next thing written.
    @inline(__always)
    package mutating func key(_ name: StaticString) {
        let needsComma = needsComma
        // Around the name stand a comma, two quotes and a colon.
        unsafe write(atMost: name.utf8CodeUnitCount + 4) { end in
            if needsComma { unsafe end.store(",\"") } else { unsafe end.store("\"") }
            unsafe end.store(name)
            unsafe end.store("\":")
        }
        self.needsComma = false
    }

    /// The same of a name in two parts.
    @inline(__always)
    mutating func key(_ name: StaticString, _ suffix: StaticString) {
        key(name)
        // Over the quote and the colon.
        count -= 2
        append(suffix)
        append("\":")
    }

    /// The same of a name that is not known here.
    package mutating func key(text name: String) {
        string(name)
        append(":")
        needsComma = false
    }

    package mutating func null() { raw("null") }

    package mutating func bool(_ value: Bool?) {
        guard let value else { return null() }
        if value { raw("true") } else { raw("false") }
    }

    package mutating func number(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        unsafe write(atMost: decimalCapacity) { end in unsafe end.store(decimal: value) }
    }

    /// A number as JSON text in quotes: 64-bit identifiers lose precision as JSON numbers.
    mutating func quoted(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        unsafe write(atMost: decimalCapacity + 2) { end in
            unsafe end.store("\"")
            unsafe end.store(decimal: value)
            unsafe end.store("\"")
        }
    }

    package mutating func date(_ value: Timestamp?) {
        guard let value else { return null() }
        unsafe quoted(atMost: Timestamp.rfc3339Capacity) { unsafe value.writeRFC3339(to: $0) }
    }

    /// A string that needs no escapes.
    /// - Parameter write: writes its bytes, and returns how many there are.
    @inline(__always)
    mutating func quoted(atMost capacity: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        separate()
        unsafe self.write(atMost: capacity + 2) { end in
            unsafe end.store("\"")
            unsafe end += write(UnsafeMutableBufferPointer(start: end, count: capacity))
            unsafe end.store("\"")
        }
    }

    /// JSON text as it stands elsewhere.
    package mutating func raw(_ text: [UInt8]) {
        separate()
        unsafe text.withUnsafeBufferPointer { text in
            guard let bytes = text.baseAddress else { return }
            unsafe room(for: text.count).update(from: bytes, count: text.count)
            count += text.count
        }
    }

    /// The JSON text of a string, on its own.
    package mutating func text(of value: String) -> [UInt8] {
        removeAll()
        string(value)
        return bytes
    }

    /// The JSON text that `body` writes.
    package static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }

    /// Bytes as lower-case hexadecimal text.
    mutating func hex(_ value: [UInt8]?) {
        guard let value else { return null() }
        hex(value.span)
    }

    mutating func hex(_ value: Span<UInt8>) {
        separate()
        unsafe write(atMost: 2 * value.count + 2) { end in
            unsafe end.store("\"")
            unsafe end.store(hexadecimal: value)
            unsafe end.store("\"")
        }
    }

    /// Writes a line of hexadecimal digits.
    package mutating func digitLine(_ value: [UInt8]) {
        unsafe write(atMost: 2 * value.count) { end in unsafe end.store(hexadecimal: value.span) }
        endLine()
    }

    @inline(__always)
    private mutating func raw(_ text: StaticString) {
        separate()
        append(text)
    }

    @inline(__always)
    private mutating func open(_ bracket: StaticString) {
        separate()
        append(bracket)
        needsComma = false
    }

    @inline(__always)
    private mutating func close(_ bracket: StaticString) {
        append(bracket)
        needsComma = true
    }

    @inline(__always)
    mutating func separate() {
        if needsComma { append(",") }
        needsComma = true
    }

    // MARK: - Bytes

    /// Always inlined, so that the text of a literal is stored as constants.
    @inline(__always)
    private mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        unsafe room(for: length).update(from: text.utf8Start, count: length)
        count += length
    }

    /// Writes pieces whose room is asked for at once.
    /// - Parameter body: stores bytes from where it is told, and moves the place behind them.
    @inline(__always)
    mutating func write(atMost capacity: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
        var end = unsafe room(for: capacity)
        unsafe body(&end)
        unsafe assert(end - start <= count + capacity)
        unsafe count = end - start
    }

    /// Where the next bytes go: room for `size` of them, which the caller counts when they are written.
    @inline(__always)
    mutating func room(for size: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < size { grow(by: size) }
        return unsafe start + count
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        capacity = max(4 * capacity, count + size)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.update(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = larger
    }
}
