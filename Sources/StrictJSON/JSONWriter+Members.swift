/// Members of objects: a name and its value.
extension JSONWriter {
    @inlinable
    @inline(__always)
    package mutating func null(_ name: StaticString) {
        key(name)
        null()
    }

    @inlinable
    @inline(__always)
    package mutating func string(_ name: StaticString, _ value: String?) {
        key(name)
        string(value)
    }

    @inlinable
    @inline(__always)
    package mutating func number(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        key(name)
        number(value)
    }

    @inlinable
    @inline(__always)
    package mutating func bool(_ name: StaticString, _ value: Bool?) {
        key(name)
        bool(value)
    }

    @inlinable
    @inline(__always)
    package mutating func quoted(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        key(name)
        quoted(value)
    }

    @inlinable
    @inline(__always)
    package mutating func hex(_ name: StaticString, _ value: [UInt8]?) {
        key(name)
        hex(value)
    }

    @inlinable
    @inline(__always)
    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    @inlinable
    @inline(__always)
    package mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        key(name)
        array(elements)
    }

    @inlinable
    @inline(__always)
    package mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        array(elements, element)
    }
}
