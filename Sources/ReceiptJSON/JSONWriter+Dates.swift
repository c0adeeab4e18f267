package import AppReceipt
package import StrictJSON

extension JSONWriter {
    package mutating func date(_ value: Timestamp?) {
        guard let value else { return null() }
        unsafe quoted(atMost: Timestamp.rfc3339Capacity) { unsafe value.writeRFC3339(to: $0) }
    }

    @inline(__always)
    package mutating func date(_ name: StaticString, _ value: Timestamp?) {
        key(name)
        date(value)
    }
}
