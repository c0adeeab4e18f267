/// One JSON object of a specification. The reader takes its fields one by one, and remaining fields are an
/// error.
///
/// A field that is absent changes nothing. A null field omits the attribute.
struct SpecificationObject {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>
    private var taken: Set<String> = []

    init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }

    /// Returns the field's value, or nil if the field is absent or null.
    mutating func value<Value: Decodable>(_ field: String, as type: Value.Type = Value.self) throws -> Value?
    {
        taken.insert(field)
        return try container.decodeIfPresent(type, forKey: Key(stringValue: field))
    }

    mutating func required<Value: Decodable>(_ field: String) throws -> Value {
        taken.insert(field)
        return try container.decode(Value.self, forKey: Key(stringValue: field))
    }

    /// Returns the field `name`, which names a file without its extension.
    mutating func fileName() throws -> String {
        let name: String = try required("name")
        let allowed = name.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard allowed, !name.isEmpty, !name.hasPrefix("."), name.utf8.count <= 200 else {
            throw error("name", "must be letters, digits, '-', '_' and '.', and not begin with '.'")
        }
        return name
    }

    func contains(_ field: String) -> Bool { container.contains(Key(stringValue: field)) }

    /// Sets an optional property.
    mutating func take<Value: Decodable>(_ field: String, _ property: inout Value?) throws {
        let value = try value(field, as: Value.self)
        if contains(field) { property = value }
    }

    /// Sets a property that always has a value.
    mutating func take<Value: Decodable>(_ field: String, _ property: inout Value) throws {
        if let value = try value(field, as: Value.self) { property = value }
    }

    /// Sets a date, which may be any text. Null becomes the empty string that means "no date" in receipts.
    mutating func takeDate(_ field: String, _ property: inout String?) throws {
        let text = try value(field, as: String.self)
        if contains(field) { property = text ?? "" }
    }

    /// Sets a number of up to 64 bits. It may be a string, as in the output of `verify`, or a JSON number.
    mutating func takeIdentifier(_ field: String, _ property: inout UInt64?) throws {
        if let text = try? value(field, as: String.self) {
            guard let number = UInt64(text) else { throw error(field, "must be a number of up to 64 bits") }
            property = number
        } else {
            try take(field, &property)
        }
    }

    mutating func takeHex(_ field: String, _ property: inout [UInt8]?) throws {
        let text = try value(field, as: String.self)
        if let text {
            guard let bytes = Self.bytes(hex: text) else {
                throw error(field, "must be hexadecimal, two digits per byte")
            }
            property = bytes
        } else if contains(field) {
            property = nil
        }
    }

    /// Sets a date, which must be valid. Null omits it.
    mutating func takeValidDate(_ field: String, _ property: inout String?) throws {
        let isGiven = try value(field, as: String.self) != nil
        if contains(field) { property = isGiven ? try validDate(field) : nil }
    }

    mutating func validDate(_ field: String) throws -> String {
        let date: String = try required(field)
        guard UTCDate.seconds(date) != nil else {
            throw error(field, "not an RFC 3339 date, for example 2040-01-01T00:00:00Z")
        }
        return date
    }

    /// Returns the enumeration case that the field names, or nil if the field is absent or null.
    mutating func named<Value>(_ field: String) throws -> Value?
    where Value: RawRepresentable<String> & CaseIterable {
        try choice(field, of: Value.allCases.map(\.rawValue)).flatMap { Value(rawValue: $0) }
    }

    /// Returns the field, which must be one of these names, or nil if the field is absent or null.
    mutating func choice(_ field: String, of names: [String]) throws -> String? {
        let name = try value(field, as: String.self)
        if let name, !names.contains(name) {
            throw error(field, "'\(name)' is not one of \(names.joined(separator: ", "))")
        }
        return name
    }

    /// Reads a nested object with the closure.
    mutating func nested(_ field: String, _ read: (inout SpecificationObject) throws -> Void) throws {
        taken.insert(field)
        guard contains(field) else { return }
        var object = try SpecificationObject(container.superDecoder(forKey: Key(stringValue: field)))
        try read(&object)
        try object.finish()
    }

    /// Throws an error if a field was not taken, which means that its name is misspelled.
    func finish() throws {
        if let unknown = container.allKeys.map(\.stringValue).sorted().first(where: { !taken.contains($0) }) {
            throw error(unknown, "unknown field")
        }
    }

    func error(_ field: String, _ reason: String) -> DecodingError {
        DecodingError.dataCorrupted(
            .init(
                codingPath: container.codingPath + [Key(stringValue: field)] as [any CodingKey],
                debugDescription: reason))
    }

    static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[start], let low = digits[start + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
