// RFC 8259. Not JSONDecoder: it forgets the order of an object's members, which is the order in which the
// products of a plain catalogue are answered; it takes the first of two members of one name in silence; and a
// reader that skips a value keeps nothing of it, which is how a catalogue's private key must be treated.

/// Reads JSON front to back; what is not asked for is checked and skipped without a copy of it being made.
package struct JSONReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0
    private var path: [Step] = []
    /// Of the objects that are open.
    private var members = 0

    /// A member's name is kept until its object ends, to find it when it comes again.
    private static let mostMembers = 1 << 16

    private enum Step {
        case member(String)
        case element(Int)
    }

    /// What the next value is.
    package enum Kind {
        case object, array, string, number, bool, null
    }

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    }

    /// The kind of the next value, which is not consumed.
    package mutating func peek() throws(JSONError) -> Kind {
        skipSpace()
        guard let byte = current else { throw malformed() }
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw malformed()
        }
    }

    /// Reads an object; `member` must consume the value of each name that it is given.
    package mutating func object(
        _ member: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.object)
        position += 1
        try enter(.member(""))
        var names = Set<String>()
        defer { members -= names.count }
        skipSpace()
        if !take("}") {
            repeat {
                let name = try string()
                path[path.count - 1] = .member(name)
                guard names.insert(name).inserted else { throw error(.duplicateMember) }
                members += 1
                guard members <= Self.mostMembers else { throw error(.tooManyMembers) }
                skipSpace()
                guard take(":") else { throw malformed() }
                try member(&self, name)
                skipSpace()
            } while take(",")
            guard take("}") else { throw malformed() }
        }
        path.removeLast()
    }

    /// Reads an array; `element` must consume each value.
    package mutating func array(
        _ element: (inout JSONReader, Int) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(.array)
        position += 1
        try enter(.element(0))
        var index = 0
        skipSpace()
        if !take("]") {
            repeat {
                path[path.count - 1] = .element(index)
                try element(&self, index)
                index += 1
                skipSpace()
            } while take(",")
            guard take("]") else { throw malformed() }
        }
        path.removeLast()
    }

    /// - Parameter limit: bytes that the text may have. Names, identifiers and dates are short, and Swift compares and
    ///   hashes text by meaning, in more than linear time where combining marks pile up.
    package mutating func string(atMost limit: Int = 1024) throws(JSONError) -> String {
        let text = try text(atMost: limit)
        guard let string = String(validating: text, as: UTF8.self) else { throw malformed() }
        return string
    }

    /// The bytes of a string, escapes resolved; ``end()`` says whether they are UTF-8.
    package mutating func text(atMost limit: Int) throws(JSONError) -> [UInt8] {
        try expect(.string)
        var text: [UInt8] = []
        try scanString { text.append($0) }
        guard text.count <= limit else { throw error(.tooLong(limit: limit)) }
        return text
    }

    /// The text of a number as it stands.
    package mutating func number() throws(JSONError) -> String {
        try expect(.number)
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        var text = ""
        for index in start..<position { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return text
    }

    package mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool)
        if take("true") { return true }
        guard take("false") else { throw malformed() }
        return false
    }

    /// Consumes `null` where it is the next value.
    package mutating func null() throws(JSONError) -> Bool {
        guard try peek() == .null else { return false }
        guard take("null") else { throw malformed() }
        return true
    }

    /// Consumes a value without keeping anything of it.
    package mutating func skip() throws(JSONError) {
        switch try peek() {
        case .object: try object { (reader, _) throws(JSONError) in try reader.skip() }
        case .array: try array { (reader, _) throws(JSONError) in try reader.skip() }
        case .string: try scanString { _ in }
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: _ = try null()
        }
    }

    /// Nothing but white space may follow. And all of it must have been UTF-8 (RFC 8259, 8.1), also what was
    /// skipped.
    package mutating func end() throws(JSONError) {
        skipSpace()
        guard position == bytes.count, (try? UTF8Span(validating: bytes)) != nil else { throw malformed() }
    }

    /// An error about the value at hand, for example ``JSONError/Problem/unexpected``.
    package func error(_ problem: JSONError.Problem) -> JSONError {
        var text = ""
        for step in path {
            switch step {
            case .member(let name): text += text.isEmpty ? name : "." + name
            case .element(let index): text += "[\(index)]"
            }
        }
        return JSONError(path: text, offset: position, problem: problem)
    }

    private func malformed() -> JSONError { error(.malformed) }

    private mutating func expect(_ kind: Kind) throws(JSONError) {
        guard try peek() == kind else { throw error(.unexpected) }
    }

    private mutating func enter(_ step: Step) throws(JSONError) {
        guard path.count < 64 else { throw error(.tooDeep) }
        path.append(step)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
            position += 1
        }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where unsafe bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw malformed() }
    }

    /// Hands on the bytes of a string, escapes resolved.
    private mutating func scanString(_ append: (UInt8) -> Void) throws(JSONError) {
        position += 1
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try escape(append)
            case 0..<0x20: throw malformed()
            default: append(byte)
            }
        }
        throw malformed()
    }

    private mutating func escape(_ append: (UInt8) -> Void) throws(JSONError) {
        guard let byte = current else { throw malformed() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(byte)
        case UInt8(ascii: "b"): append(0x08)
        case UInt8(ascii: "f"): append(0x0C)
        case UInt8(ascii: "n"): append(0x0A)
        case UInt8(ascii: "r"): append(0x0D)
        case UInt8(ascii: "t"): append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xD800..<0xDC00).contains(code), take("\\u") {
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw malformed() }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed() }
            for unit in UTF8.encode(scalar).map(Array.init) ?? [] { append(unit) }
        default: throw malformed()
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed()
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
