/// A type that the values of columns and parameters can have. Nil is NULL.
package protocol ValueConvertible {
    /// Converts a value, or returns nil if it has another type.
    init?(value: Value)
    var value: Value { get }
}

extension Value: ValueConvertible {
    package init?(value: Value) { self = value }
    package var value: Value { self }
}

extension ValueConvertible where Self: SignedInteger {
    package init?(value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
    package var value: Value { .integer(Int64(self)) }
}

extension Int64: ValueConvertible {}

extension Int: ValueConvertible {}

extension Bool: ValueConvertible {
    package init?(value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
    package var value: Value { .integer(self ? 1 : 0) }
}

extension String: ValueConvertible {
    /// Converts text. Replaces invalid UTF-8 by U+FFFD.
    package init?(value: Value) {
        guard case .text(let bytes) = value else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
    package var value: Value { .text(Array(utf8)) }
}

extension [UInt8]: ValueConvertible {
    package init?(value: Value) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
    package var value: Value { .blob(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
    package init?(value: Value) {
        if value == .null {
            self = .none
        } else if let wrapped = Wrapped(value: value) {
            self = wrapped
        } else {
            return nil
        }
    }
    package var value: Value { self?.value ?? .null }
}
