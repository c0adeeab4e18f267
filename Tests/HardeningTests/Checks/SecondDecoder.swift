// A second decoder of payloads, for comparison with the package's reader. It is as simple as possible and
// shares no code with it.

/// Returns the content of a payload, or nil if it must be refused.
func secondReading(ofPayload content: [UInt8]) -> SecondReading? { SecondDecoder.payload(content[...]) }

/// Returns the date in attribute 12, in milliseconds, or nil without a valid payload and date.
func secondCreationDate(ofPayload content: [UInt8]) -> Int64? {
    guard let attributes = SecondDecoder.attributes(SecondDecoder.unwrapped(content[...])) else { return nil }
    let dates = attributes.filter { $0.type == 12 }
    guard dates.count == 1, let text = SecondDecoder.text(dates[0].value) else { return nil }
    return SecondDate.milliseconds(text)
}

enum SecondDecoder {
    struct Attribute: Equatable {
        var type: Int64
        var version: Int64
        var value: ArraySlice<UInt8>
    }

    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>

        /// Whether the content may be elements. An OCTET STRING often contains others.
        var mayNest: Bool { (tag & 0x20 != 0 || tag == 0x04) && !content.isEmpty }
    }

    // MARK: - BER

    /// Removes the first element from the bytes. Indefinite lengths may be nested up to `depth`.
    static func element(_ bytes: inout ArraySlice<UInt8>, depth: Int = 32) -> Element? {
        guard let tag = bytes.popFirst(), let first = bytes.popFirst(), tag & 0x1F != 0x1F, tag != 0 else {
            return nil
        }
        var length = Int(first)
        if first == 0x80 {
            guard tag & 0x20 != 0, depth > 0 else { return nil }
            let start = bytes
            while !bytes.starts(with: [0, 0]) {
                guard element(&bytes, depth: depth - 1) != nil else { return nil }
            }
            let content = start.prefix(start.count - bytes.count)
            bytes = bytes.dropFirst(2)
            return Element(tag: tag, content: content)
        }
        if first > 0x80 {
            let octets = bytes.prefix(Int(first & 0x7F))
            guard first != 0xFF, octets.count == Int(first & 0x7F), octets.count <= 8 else { return nil }
            bytes = bytes.dropFirst(octets.count)
            var value: UInt64 = 0
            for octet in octets { value = value << 8 | UInt64(octet) }
            guard value <= UInt64(bytes.count) else { return nil }
            length = Int(value)
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return Element(tag: tag, content: bytes.prefix(length))
    }

    static func elements(_ bytes: ArraySlice<UInt8>) -> [Element]? {
        var rest = bytes
        var elements: [Element] = []
        while !rest.isEmpty {
            guard let element = element(&rest) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// Returns the content of the only element in the bytes if it has this tag, or nil.
    static func only(_ tag: UInt8, _ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let elements = elements(bytes), elements.count == 1, elements[0].tag == tag else { return nil }
        return elements[0].content
    }

    // MARK: - Values

    static func integer(_ content: ArraySlice<UInt8>) -> Int64? {
        guard let first = content.first, content.count <= 8 else { return nil }
        return content.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    static func identifier(_ content: ArraySlice<UInt8>) -> UInt64? {
        guard let first = content.first, first < 0x80, content.count <= (first == 0 ? 9 : 8) else {
            return nil
        }
        return content.reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func text(_ value: ArraySlice<UInt8>) -> String? {
        if let utf8 = only(0x0C, value) { return String(validating: utf8, as: UTF8.self) }
        guard let ia5 = only(0x16, value), ia5.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(decoding: ia5, as: UTF8.self)
    }

    // MARK: - Attributes

    static func unwrapped(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        content.first == 0x04 ? only(0x04, content) ?? [] : content
    }

    static func attributes(_ set: ArraySlice<UInt8>) -> [Attribute]? {
        guard let content = only(0x31, set), let elements = elements(content) else { return nil }
        var attributes: [Attribute] = []
        for element in elements {
            guard element.tag == 0x30, let fields = Self.elements(element.content),
                fields.count == 3, fields[0].tag == 0x02, fields[1].tag == 0x02, fields[2].tag == 0x04,
                let type = integer(fields[0].content), type >= 0,
                let version = integer(fields[1].content)
            else { return nil }
            attributes.append(Attribute(type: type, version: version, value: fields[2].content))
        }
        return attributes
    }

    static func payload(_ content: ArraySlice<UInt8>) -> SecondReading? {
        guard let attributes = attributes(unwrapped(content)) else { return nil }
        var reading = SecondReading()
        guard reading.read(attributes, SecondReading.appKinds), reading.has(12), reading.has(2),
            attributes.allSatisfy({ $0.type != 2 || text($0.value) != "" })
        else { return nil }
        for attribute in attributes where attribute.type == 17 {
            guard let inner = Self.attributes(attribute.value) else { return nil }
            var purchase = SecondReading()
            guard purchase.read(inner, SecondReading.purchaseKinds) else { return nil }
            reading.purchases.append(purchase)
        }
        return reading
    }
}
