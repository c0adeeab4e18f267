// RFC 8259. Not JSONDecoder: it forgets the order of an object's members, which is the order in which the
// products of a plain catalogue are answered; it takes the first of two members of one name in silence; and a
// reader that skips a value keeps nothing of it, which is how a catalogue's private key must be treated.

/// Reads JSON front to back; what is not asked for is checked all the same, and skipped without a copy of it being
/// made.
///
/// Recursion follows the caller's grammar, never the input; depth is bounded all the same. Every byte is looked at a
/// bounded number of times, whatever the input.
package struct JSONReader: ~Escapable {
    /// UTF-8 bytes that the name of a member may have. Swift compares text by meaning, in more than linear time where
    /// combining marks pile up.
    package static let longestName = 1024

    let bytes: Span<UInt8>
    /// How much was read, in bytes.
    package internal(set) var position = 0
    private let maximumDepth: Int
    private let maximumMembers: Int
    /// The objects and arrays that are open.
    private var levels: [Level] = []
    private var names = MemberNames()

    /// Index of the first byte of the value at hand: the one that is read next, or was read last.
    package private(set) var offset = 0

    private struct Level {
        /// Of its bracket.
        let start: Int
        let isObject: Bool
        var names: MemberNames.Scope
        /// The member at hand, as it stands between its quotes.
        var name: RawString?
        /// How many members or elements began.
        var count = 0
    }

    /// - Parameters:
    ///   - bytes: the input; offsets count from its start.
    ///   - maximumDepth: how many objects and arrays may lie inside one another.
    ///   - maximumMembers: how many the objects that are open may have: their names are kept.
    ///   - skipsByteOrderMark: what RFC 8259, 8.1 allows for files that people bring along.
    @_lifetime(copy bytes)
    package init(
        _ bytes: Span<UInt8>, maximumDepth: Int = 64, maximumMembers: Int = .max,
        skipsByteOrderMark: Bool = false
    ) {
        self.bytes = bytes
        (self.maximumDepth, self.maximumMembers) = (maximumDepth, maximumMembers)
        if skipsByteOrderMark && hasByteOrderMark { position = 3 }
    }

    private var hasByteOrderMark: Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    // MARK: - Values

    /// The kind of the next value, which is not consumed.
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

    /// Reads an object; `member` must consume the value of each name that it is given.
    package mutating func object(
        _ member: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.object)
        try enter()
        while try next() { try member(&self, name) }
    }

    /// Reads an array; `element` must consume each value.
    package mutating func array(
        _ element: (inout JSONReader, Int) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.array)
        try enter()
        while try next() { try element(&self, (levels.last?.count ?? 0) - 1) }
    }

    /// - Parameter limit: UTF-8 bytes that the text may have. Names, identifiers and dates are short, and Swift
    ///   compares and hashes text as ``longestName`` says.
    package mutating func string(atMost limit: Int = 1024) throws(JSONError) -> String {
        try expect(.string)
        let string = text(try scanString())
        guard string.utf8.count <= limit else { throw error(.tooLong(limit: limit)) }
        return string
    }

    /// The bytes of a string, escapes resolved.
    package mutating func text(atMost limit: Int) throws(JSONError) -> [UInt8] {
        try expect(.string)
        let string = try scanString()
        var text: [UInt8] = []
        text.reserveCapacity(string.range.count)
        string.append(to: &text, of: bytes)
        guard text.count <= limit else { throw error(.tooLong(limit: limit)) }
        return text
    }

    /// The text of a number as it stands, exactly.
    package mutating func number() throws(JSONError) -> String {
        try expect(.number)
        _ = try scanNumber()
        return text(RawString(range: offset..<position, hasEscapes: false))
    }

    /// A number without fraction and exponent, exactly: 64 bits do not fit into the numbers of JavaScript.
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

    /// Consumes `null` where it is the next value.
    package mutating func null() throws(JSONError) -> Bool {
        guard try peek() == .null else { return false }
        try scan("null")
        return true
    }

    /// Consumes a value and keeps nothing of it.
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
            // Closes what ends here, up to the next value or the end of the one that is skipped.
            while levels.count > depth, try !next() {}
        } while levels.count > depth
    }

    /// Consumes a value, whatever it is, and says where its bytes lie: nothing of it is lost.
    package mutating func slice() throws(JSONError) -> Range<Int> {
        _ = try peek()
        let start = position
        try skip()
        return start..<position
    }

    /// Nothing but white space may follow.
    package mutating func end() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw error(.trailingBytes, at: position) }
    }

    // MARK: - Errors

    /// An error about the value at hand.
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

    /// About the byte at hand, or its absence.
    func unexpected() -> JSONError {
        error(current.map(JSONFault.unexpectedByte) ?? .truncated, at: position)
    }

    // MARK: - Structure

    private mutating func expect(_ kind: JSONKind) throws(JSONError) {
        let found = try peek()
        guard found == kind else { throw error(.unexpectedKind(expected: kind, found: found)) }
    }

    /// Opens the object or array that stands here.
    private mutating func enter() throws(JSONError) {
        guard levels.count < maximumDepth else { throw error(.nestingTooDeep(limit: maximumDepth)) }
        levels.append(Level(start: position, isObject: current == UInt8(ascii: "{"), names: names.enter()))
        position += 1
    }

    /// Goes on to the next value of the innermost object or array; closes it where there is none.
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
        // An escape of six bytes stands for one at least.
        guard name.range.count <= 6 * Self.longestName else { throw error(.tooLong(limit: Self.longestName)) }
        let bytes = bytes
        var count = 0
        let isNew = names.insert(into: &levels[top].names) { names in
            let start = names.count
            name.append(to: &names, of: bytes)
            count = names.count - start
        }
        guard count <= Self.longestName else { throw error(.tooLong(limit: Self.longestName)) }
        levels[top].name = name
        guard isNew else { throw error(.duplicateMember) }
        guard names.count <= maximumMembers else { throw error(.tooManyMembers(limit: maximumMembers)) }
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw unexpected() }
        position += 1
    }

    /// Of the member at hand.
    private var name: String {
        guard let name = levels.last?.name else { return "" }
        return text(name)
    }

    private func text(_ string: RawString) -> String { string.text(of: bytes) }
}
