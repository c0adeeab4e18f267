import StrictJSON

/// The members of a completely parsed JSON object, in their order.
struct SignedMembers: Sendable {
    enum Value: Sendable, Equatable {
        case text(String)
        /// A number as its exact text.
        case number(String)
        case flag(Bool)
        case null, object, array

        var kind: JSONKind {
            switch self {
            case .text: .string
            case .number: .number
            case .flag: .bool
            case .null: .null
            case .object: .object
            case .array: .array
            }
        }
    }

    struct Member: Sendable {
        let name: String
        /// The length of the name, or nil if it is not ASCII. All documented names are ASCII. Comparing
        /// lengths first rules out most members.
        let asciiCount: Int?
        let value: Value
        /// The range of the value in the payload.
        let range: Range<Int>

        init(name: String, value: Value, range: Range<Int>) {
            (self.name, self.value, self.range) = (name, value, range)
            asciiCount = name.isASCII ? name.utf8.count : nil
        }
    }

    private(set) var list: [Member] = []

    /// Parses the object that fills the range.
    init(parsing json: Span<UInt8>, in range: Range<Int>, path: String) throws(ReceiptError) {
        var list: [Member] = []
        do throws(JSONError) {
            var reader = JSONReader(json.extracting(range))
            list.reserveCapacity(32)
            try reader.object { (reader, name) throws(JSONError) in
                let kind = try reader.peek()
                let start = range.lowerBound + reader.offset
                let value: Value =
                    switch kind {
                    case .string: .text(try reader.string(atMost: range.count))
                    case .number: .number(try reader.number())
                    case .bool: .flag(try reader.bool())
                    case .null: try reader.skipped(.null)
                    case .object: try reader.skipped(.object)
                    case .array: try reader.skipped(.array)
                    }
                list.append(
                    Member(name: name, value: value, range: start..<range.lowerBound + reader.position))
            }
            try reader.end()
        } catch {
            throw ReceiptError(
                JSONError(error.fault, at: range.lowerBound + error.offset, path: error.path), in: path)
        }
        self.list = list
    }

    /// Returns the member with a name.
    /// - Parameter name: the name, in ASCII.
    subscript(name: String) -> Member? {
        let count = name.utf8.count
        // Uses indices, because an iterator copies every member with its strings.
        return list.indices.first { list[$0].asciiCount == count && list[$0].name == name }.map { list[$0] }
    }

    func text(_ name: String) -> String? {
        if case .text(let text) = self[name]?.value { text } else { nil }
    }

    func integer(_ name: String) -> Int64? {
        if case .number(let number) = self[name]?.value { Int64(number) } else { nil }
    }

    func count(_ name: String) -> UInt32? {
        if case .number(let number) = self[name]?.value { UInt32(number) } else { nil }
    }

    func flag(_ name: String) -> Bool? {
        if case .flag(let flag) = self[name]?.value { flag } else { nil }
    }

    func date(_ name: String) -> Timestamp? {
        if case .number(let number) = self[name]?.value { Timestamp.signed(number) } else { nil }
    }
}

extension SignedMembers {
    /// Checks the types of the documented members.
    /// - Parameter isStoreKitTest: whether to allow dates with fractions, and before 1970, which Xcode
    ///   writes.
    func check(
        against types: [String: MemberType], isStoreKitTest: Bool, of json: Span<UInt8>, path: String
    ) throws(ReceiptError) {
        for member in list {
            guard member.asciiCount != nil, let type = types[member.name] else { continue }
            // Computed only for errors, because twenty strings would take a tenth of the time spent outside
            // cryptography.
            var field: String { "\(path).\(member.name)" }
            switch (type, member.value) {
            case (.text, .text), (.flag, .flag), (.object, .object): break
            case (.integer, .number(let number)):
                guard Int64(number) != nil else { throw .jws(.number, at: member.range.lowerBound, field) }
            case (.count, .number(let number)):
                guard UInt32(number) != nil else { throw .jws(.count, at: member.range.lowerBound, field) }
            case (.date, .number(let number)):
                // The dates of the App Store are integers and not before 1970.
                guard Timestamp.signed(number) != nil, isStoreKitTest || UInt64(number) != nil else {
                    throw .jws(.number, at: member.range.lowerBound, field)
                }
            case (.texts, .array): _ = try Self.texts(of: json, in: member.range, path: field)
            default:
                throw ReceiptError(
                    .malformed, .json(.unexpectedKind(expected: type.kind, found: member.value.kind)),
                    offset: member.range.lowerBound, field: field)
            }
        }
    }

    /// Returns the elements of an array of strings.
    static func texts(
        of json: Span<UInt8>, in range: Range<Int>, path: String
    ) throws(ReceiptError) -> [String] {
        do throws(JSONError) {
            var reader = JSONReader(json.extracting(range))
            return try reader.list { (reader, _) throws(JSONError) in
                try reader.string(atMost: range.count)
            }
        } catch {
            throw ReceiptError(
                JSONError(error.fault, at: range.lowerBound + error.offset, path: error.path), in: path)
        }
    }
}

extension MemberType {
    fileprivate var kind: JSONKind {
        switch self {
        case .text: .string
        case .integer, .count, .date: .number
        case .flag: .bool
        case .object: .object
        case .texts: .array
        }
    }
}

extension JSONReader {
    fileprivate mutating func skipped(_ value: SignedMembers.Value) throws(JSONError) -> SignedMembers.Value {
        try skip()
        return value
    }
}

extension Timestamp {
    /// Reads a number of milliseconds and drops its fraction. Returns nil for an exponent, and for dates that
    /// RFC 3339 cannot represent.
    static func signed(_ number: String) -> Timestamp? {
        let period = number.utf8.firstIndex(of: UInt8(ascii: ".")) ?? number.endIndex
        guard let milliseconds = Int64(number[..<period]),
            number[period...].utf8.dropFirst().allSatisfy(\.isDigit),
            Timestamp.rfc3339Range.contains(milliseconds)
        else { return nil }
        return Timestamp(millisecondsSince1970: milliseconds)
    }
}
