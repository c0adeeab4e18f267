package import AppReceipt

/// Members of objects: a name and its value.
extension JSONWriter {
    @inline(__always)
    package mutating func null(_ name: StaticString) {
        key(name)
        null()
    }

    @inline(__always)
    package mutating func string(_ name: StaticString, _ value: String?) {
        key(name)
        string(value)
    }

    @inline(__always)
    package mutating func number(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        key(name)
        number(value)
    }

    @inline(__always)
    package mutating func bool(_ name: StaticString, _ value: Bool?) {
        key(name)
        bool(value)
    }

    @inline(__always)
    package mutating func date(_ name: StaticString, _ value: Timestamp?) {
        key(name)
        date(value)
    }

    @inline(__always)
    mutating func quoted(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        key(name)
        quoted(value)
    }

    @inline(__always)
    mutating func hex(_ name: StaticString, _ value: [UInt8]?) {
        key(name)
        hex(value)
    }

    @inline(__always)
    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    @inline(__always)
    package mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        key(name)
        array(elements)
    }

    @inline(__always)
    package mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        array(elements, element)
    }
}
