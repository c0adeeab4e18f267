/// A writer of the contract's objects into one buffer, with members in the contract's order.
///
/// JSONEncoder sorts or shuffles keys, and takes several times as long as the verification. This writer keeps
/// the contract's order and reuses its buffer for the next receipt.
///
/// The buffer is not an Array. A line consists of hundreds of small parts, and the uniqueness check of an
/// Array would cost more per part than the bytes.
@safe
public struct JSONWriter: ~Copyable {
    @usableFromInline
    package private(set) var start = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)
    /// The size of the buffer in bytes.
    @usableFromInline
    package private(set) var capacity = 4096
    /// The number of bytes written so far.
    @usableFromInline
    package var count = 0
    @usableFromInline
    package var needsComma = false
    /// Whether lines are written without the members that can be derived from the signed bytes.
    @usableFromInline
    package var isStating = false
    /// The range of the members in the last line that can be derived from the signed bytes. It starts with
    /// the comma before `signature` and ends before `eligibility`. Empty if nothing was verified.
    @usableFromInline
    package var implied = 0..<0
    /// A value that a caller keeps for the next lines, such as text that most of them repeat.
    package var repeated: AnyObject?

    /// Creates an empty writer.
    public init() {}

    deinit { unsafe start.deallocate() }

    /// The UTF-8 bytes written so far.
    public var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls `body` with two parts of the last line: before and after the members that can be derived from
    /// the signed bytes.
    /// - Parameter start: The offset of the line.
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

    /// Begins a line that has no members derived from the signed bytes yet.
    package mutating func beginStatement() { implied = count..<count }

    /// Writes members that can be derived from the signed bytes.
    @inlinable
    @inline(__always)
    package mutating func implied(_ members: (inout JSONWriter) -> Void) {
        let start = count
        if !isStating { members(&self) }
        implied = start..<count
    }

    /// Removes all bytes and keeps the memory.
    public mutating func removeAll() {
        count = 0
        needsComma = false
    }

    /// Removes the bytes after the end of a line.
    package mutating func remove(from end: Int) {
        count = min(count, end)
        needsComma = false
    }

    /// Ends a line of NDJSON.
    public mutating func endLine() {
        append("\n")
        needsComma = false
    }

    @inlinable
    @inline(__always)
    package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        open("{")
        try members(&self)
        close("}")
    }

    @inlinable
    @inline(__always)
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
    ) {
        array { json in
            for value in elements { element(&json, value) }
        }
    }

    /// Writes an array.
    /// - Parameter elements: A closure that writes all elements.
    @inlinable
    @inline(__always)
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    /// Writes a member's name. The caller writes the value next.
    @inlinable
    @inline(__always)
    package mutating func key(_ name: StaticString) {
        let needsComma = needsComma
        // A comma, two quotes and a colon surround the name.
        unsafe write(atMost: name.utf8CodeUnitCount + 4) { end in
            if needsComma { unsafe end.store(",\"") } else { unsafe end.store("\"") }
            unsafe end.store(name)
            unsafe end.store("\":")
        }
        self.needsComma = false
    }

    /// Writes a member's name that has two parts.
    @inlinable
    @inline(__always)
    package mutating func key(_ name: StaticString, _ suffix: StaticString) {
        key(name)
        // Removes the quote and the colon.
        count -= 2
        append(suffix)
        append("\":")
    }

    /// Writes a member's name that is not a literal.
    package mutating func key(text name: String) {
        string(name)
        append(":")
        needsComma = false
    }

    @inlinable
    package mutating func null() { raw("null") }

    @usableFromInline
    package mutating func bool(_ value: Bool?) {
        guard let value else { return null() }
        if value { raw("true") } else { raw("false") }
    }

    @inlinable
    package mutating func number(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        unsafe write(atMost: decimalCapacity) { end in unsafe end.store(decimal: value) }
    }

    /// Writes a number as a JSON string, because 64-bit identifiers lose precision as JSON numbers.
    @inlinable
    package mutating func quoted(_ value: (some FixedWidthInteger)?) {
        guard let value else { return null() }
        separate()
        unsafe write(atMost: decimalCapacity + 2) { end in
            unsafe end.store("\"")
            unsafe end.store(decimal: value)
            unsafe end.store("\"")
        }
    }

    /// Writes a string that needs no escapes.
    /// - Parameter write: A closure that writes the bytes and returns their number.
    @inlinable
    @inline(__always)
    package mutating func quoted(atMost capacity: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        separate()
        unsafe self.write(atMost: capacity + 2) { end in
            unsafe end.store("\"")
            unsafe end += write(UnsafeMutableBufferPointer(start: end, count: capacity))
            unsafe end.store("\"")
        }
    }

    /// Writes JSON text unchanged.
    package mutating func raw(_ text: [UInt8]) {
        separate()
        unsafe text.withUnsafeBufferPointer { text in
            guard let bytes = text.baseAddress else { return }
            unsafe room(for: text.count).update(from: bytes, count: text.count)
            count += text.count
        }
    }

    /// Removes all bytes, then returns the JSON text of a string.
    package mutating func text(of value: String) -> [UInt8] {
        removeAll()
        string(value)
        return bytes
    }

    /// Returns the JSON text that `body` writes.
    package static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }

    /// Writes bytes as lower-case hexadecimal text.
    @usableFromInline
    package mutating func hex(_ value: [UInt8]?) {
        guard let value else { return null() }
        hex(value.span)
    }

    @usableFromInline
    package mutating func hex(_ value: Span<UInt8>) {
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

    @inlinable
    @inline(__always)
    package mutating func raw(_ text: StaticString) {
        separate()
        append(text)
    }

    @inlinable
    @inline(__always)
    package mutating func open(_ bracket: StaticString) {
        separate()
        append(bracket)
        needsComma = false
    }

    @inlinable
    @inline(__always)
    package mutating func close(_ bracket: StaticString) {
        append(bracket)
        needsComma = true
    }

    @inlinable
    @inline(__always)
    package mutating func separate() {
        if needsComma { append(",") }
        needsComma = true
    }

    // MARK: - Bytes

    /// Stores a literal. Inlining lets the compiler store its text as constants.
    @inlinable
    @inline(__always)
    package mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        unsafe room(for: length).update(from: text.utf8Start, count: length)
        count += length
    }

    /// Writes several parts after reserving memory once.
    /// - Parameter body: A closure that stores bytes at the pointer and advances it past them.
    @inlinable
    @inline(__always)
    package mutating func write(atMost capacity: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
        var end = unsafe room(for: capacity)
        unsafe body(&end)
        unsafe assert(end - start <= count + capacity)
        unsafe count = end - start
    }

    /// Returns a pointer to the end of the written bytes, with room for `size` more. The caller updates
    /// `count` after writing.
    @inlinable
    @inline(__always)
    package mutating func room(for size: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < size { grow(by: size) }
        return unsafe start + count
    }

    @inline(never)
    @usableFromInline
    package mutating func grow(by size: Int) {
        capacity = max(4 * capacity, count + size)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.update(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = larger
    }
}
