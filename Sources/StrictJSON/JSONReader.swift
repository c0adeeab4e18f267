// Reads RFC 8259 JSON without JSONDecoder, for three reasons. JSONDecoder loses the order of an object's
// members, which determines the order of the verdicts for a plain JSON catalog. It silently accepts duplicate
// members. It also stores values that the caller skips, such as the private key in a catalog.

/// A reader of JSON from start to end. It validates values that the caller skips, but does not copy them.
///
/// Recursion follows the caller's grammar, never the input, and its depth is limited. For any input, it reads
/// each byte a bounded number of times.
package struct JSONReader: ~Escapable {
    /// The maximum length of a member's name, in bytes of UTF-8. Swift compares text by canonical
    /// equivalence, which takes more than linear time for long runs of combining marks.
    package static let longestName = 1024

    let bytes: Span<UInt8>
    /// The number of bytes read.
    package internal(set) var position = 0
    private let maximumDepth: Int
    private let maximumMembers: Int
    private let longestName: Int
    /// The open objects and arrays.
    private var levels: [Level] = []
    private var names = MemberNames()

    /// The offset of the first byte of the current value: the next value, or the one read last.
    package private(set) var offset = 0

    private struct Level {
        /// The offset of the opening bracket.
        let start: Int
        let isObject: Bool
        var names: MemberNames.Scope
        /// The name of the current member, with escapes unresolved.
        var name: RawString?
        /// The number of members or elements begun.
        var count = 0
    }

    /// Creates a reader.
    /// - Parameters:
    ///   - bytes: the input. Offsets count from its start.
    ///   - maximumDepth: the maximum depth of nested objects and arrays.
    ///   - maximumMembers: the maximum number of members of all open objects. It limits the memory for their
    ///     names.
    ///   - longestName: the maximum length of a member's name, in bytes of UTF-8.
    ///   - skipsByteOrderMark: whether to skip a byte order mark, as RFC 8259, 8.1 permits.
    @_lifetime(copy bytes)
    package init(
        _ bytes: Span<UInt8>, maximumDepth: Int = 64, maximumMembers: Int = .max,
        longestName: Int = JSONReader.longestName, skipsByteOrderMark: Bool = false
    ) {
        self.bytes = bytes
        (self.maximumDepth, self.maximumMembers) = (maximumDepth, maximumMembers)
        self.longestName = longestName
        if skipsByteOrderMark && hasByteOrderMark { position = 3 }
    }

    private var hasByteOrderMark: Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    // MARK: - Values

    /// Returns the type of the next value without consuming it.
    package mutating func peek() throws(JSONError) -> JSONKind {
        skipSpace()
        offset = position
        guard let byte = current else { throw unexpected() }
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw position == 0 && hasByteOrderMark ? error(.byteOrderMark) : unexpected()
        }
    }

    /// Reads an object. `member` must consume the value of each name that it receives.
    package mutating func object(
        _ member: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.object)
        try enter()
        while try next() { try member(&self, name) }
    }

    /// Reads an array. `element` must consume each value.
    package mutating func array(
        _ element: (inout JSONReader, Int) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.array)
        try enter()
        while try next() { try element(&self, (levels.last?.count ?? 0) - 1) }
    }

    /// Reads an array and returns its elements. `element` must consume each value.
    package mutating func list<Element>(
        atMost limit: Int = .max, _ element: (inout JSONReader, Int) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var list: [Element] = []
        try array { (reader, index) throws(JSONError) in
            guard index < limit else { throw reader.error(.tooManyMembers(limit: limit)) }
            list.append(try element(&reader, index))
        }
        return list
    }

    /// Reads a string that names one of the enumeration's cases.
    package mutating func choice<Value: RawRepresentable<String> & CaseIterable>() throws(JSONError) -> Value
    {
        let text = try string()
        guard let value = Value(rawValue: text.ifASCII) else {
            throw error(.unexpectedValue(String(text.prefix(64)), notOneOf: Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Reads a string.
    /// - Parameter limit: the maximum length in bytes of UTF-8. Names, identifiers and dates are short.
    ///   ``longestName`` explains why long text is slow to compare and hash.
    package mutating func string(atMost limit: Int = 1024) throws(JSONError) -> String {
        try expect(.string)
        let string = text(try scanString())
        guard string.utf8.count <= limit else { throw error(.tooLong(limit: limit)) }
        return string
    }

    /// Reads a string as UTF-8 bytes, with escapes resolved.
    package mutating func text(atMost limit: Int) throws(JSONError) -> [UInt8] {
        try expect(.string)
        let string = try scanString()
        var text: [UInt8] = []
        text.reserveCapacity(string.range.count)
        string.append(to: &text, of: bytes)
        guard text.count <= limit else { throw error(.tooLong(limit: limit)) }
        return text
    }

    /// Reads a number as its exact text.
    package mutating func number() throws(JSONError) -> String {
        try expect(.number)
        _ = try scanNumber()
        return text(RawString(range: offset..<position, hasEscapes: false))
    }

    /// Reads a number without a fraction or an exponent. The result is exact, unlike JavaScript's numbers,
    /// which cannot represent all 64-bit integers.
    package mutating func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(JSONError) -> Value {
        try expect(.number)
        guard try scanNumber() else { throw error(.notAnInteger) }
        guard let value = Value(text(RawString(range: offset..<position, hasEscapes: false))) else {
            throw error(.integerOutOfRange)
        }
        return value
    }

    package mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool)
        if current == UInt8(ascii: "t") {
            try scan("true")
            return true
        }
        try scan("false")
        return false
    }

    /// Consumes the next value if it is `null`.
    /// - Returns: whether it was.
    package mutating func null() throws(JSONError) -> Bool {
        guard try peek() == .null else { return false }
        try scan("null")
        return true
    }

    /// Consumes a value without storing it.
    package mutating func skip() throws(JSONError) {
        let depth = levels.count
        repeat {
            switch try peek() {
            case .object, .array: try enter()
            case .string: _ = try scanString()
            case .number: _ = try scanNumber()
            case .bool: _ = try bool()
            case .null: try scan("null")
            }
            // Closes the objects and arrays that end here, until the next value or the end of the skipped
            // value.
            while levels.count > depth, try !next() {}
        } while levels.count > depth
    }

    /// Consumes a value of the given type, or of any type, and returns the range of its bytes.
    package mutating func slice(of kind: JSONKind? = nil) throws(JSONError) -> Range<Int> {
        if let kind { try expect(kind) } else { _ = try peek() }
        let start = position
        try skip()
        return start..<position
    }

    /// Checks that only white space follows.
    package mutating func end() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw error(.trailingBytes, at: position) }
    }

    // MARK: - Errors

    /// Returns an error about the current value.
    package func error(_ fault: JSONFault) -> JSONError { error(fault, at: offset) }

    func error(_ fault: JSONFault, at offset: Int) -> JSONError {
        var path = ""
        for level in levels {
            if let name = level.name {
                path += path.isEmpty ? text(name) : "." + text(name)
            } else if !level.isObject && level.count > 0 {
                path += "[\(level.count - 1)]"
            }
        }
        return JSONError(fault, at: offset, path: path)
    }

    /// Returns an error about the current byte, or about the end of the input.
    func unexpected() -> JSONError {
        error(current.map(JSONFault.unexpectedByte) ?? .truncated, at: position)
    }

    // MARK: - Structure

    private mutating func expect(_ kind: JSONKind) throws(JSONError) {
        let found = try peek()
        guard found == kind else { throw error(.unexpectedKind(expected: kind, found: found)) }
    }

    /// Opens the object or array at the current position.
    private mutating func enter() throws(JSONError) {
        guard levels.count < maximumDepth else { throw error(.nestingTooDeep(limit: maximumDepth)) }
        levels.append(Level(start: position, isObject: current == UInt8(ascii: "{"), names: names.enter()))
        position += 1
    }

    /// Advances to the next value of the innermost object or array, or closes it if there is none.
    /// - Returns: false if it closed.
    private mutating func next() throws(JSONError) -> Bool {
        let top = levels.count - 1
        let isObject = levels[top].isObject
        skipSpace()
        if current == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            position += 1
            offset = levels[top].start
            names.leave(levels.removeLast().names)
            return false
        }
        if levels[top].count > 0 {
            guard current == UInt8(ascii: ",") else { throw unexpected() }
            position += 1
            skipSpace()
        }
        levels[top].count += 1
        if isObject { try readName(top) }
        skipSpace()
        offset = position
        return true
    }

    private mutating func readName(_ top: Int) throws(JSONError) {
        levels[top].name = nil
        guard current == UInt8(ascii: "\"") else { throw unexpected() }
        offset = position
        let name = try scanString()
        // An escape of six bytes yields at least one byte.
        guard name.range.count <= 6 * longestName else { throw error(.tooLong(limit: longestName)) }
        let bytes = bytes
        var count = 0
        let isNew = names.insert(into: &levels[top].names) { names in
            let start = names.count
            name.append(to: &names, of: bytes)
            count = names.count - start
        }
        guard count <= longestName else { throw error(.tooLong(limit: longestName)) }
        levels[top].name = name
        guard isNew else { throw error(.duplicateMember) }
        guard names.count <= maximumMembers else { throw error(.tooManyMembers(limit: maximumMembers)) }
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw unexpected() }
        position += 1
    }

    /// The name of the current member.
    private var name: String {
        guard let name = levels.last?.name else { return "" }
        return text(name)
    }

    /// The range of the current member's name, including the quotes.
    package var nameRange: Range<Int> {
        levels.last?.name.map { $0.range.lowerBound - 1..<$0.range.upperBound + 1 } ?? 0..<0
    }

    private func text(_ string: RawString) -> String { string.text(of: bytes) }
}
