import SQLite

/// A row that is compared with others, either before it is written or as read from the database.
///
/// Values are hashed with a random key of the process, so that an attacker cannot choose colliding values.
protocol ComparedRow {
    func isNull(_ column: Int) -> Bool
    /// Returns the integer, or 0 if there is none.
    func integer(_ column: Int) -> Int64
    /// Calls `body` with the bytes of text or a blob, or with no bytes for other values.
    func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value
}

/// The current row of a statement.
extension Statement: ComparedRow {}

extension ComparedRow {
    @inline(__always)
    func equals(_ column: Int, _ text: StaticString) -> Bool {
        unsafe withBytes(column) { bytes in
            unsafe bytes.count == text.utf8CodeUnitCount
                && bytes.elementsEqual(
                    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
    }

    /// Returns whether the column is an ID that identifies something: not absent, empty or "0".
    @inline(__always)
    func isNamed(_ column: Int) -> Bool {
        unsafe withBytes(column) { bytes in
            unsafe bytes.count > 1 || bytes.count == 1 && bytes[0] != UInt8(ascii: "0")
        }
    }

    @inline(__always)
    func hash(_ column: Int) -> UInt64 {
        var hasher = KeyedHash()
        hash(column, into: &hasher)
        return hasher.value
    }

    /// Returns the hash of the text after a prefix, equal to its hash as a column of its own. Returns nil if
    /// the text lacks the prefix.
    func hash(_ column: Int, behind prefix: StaticString) -> UInt64? {
        unsafe withBytes(column) { bytes in
            let start = unsafe UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            guard unsafe bytes.starts(with: start) else { return nil }
            var hasher = KeyedHash()
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start.count...])
            unsafe combine(rest, of: 0, into: &hasher)
            return hasher.value
        }
    }

    /// Returns the text, or nil if there is none.
    func text(_ column: Int) -> String? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    func hash(_ column: Int, into hasher: inout KeyedHash) {
        unsafe withBytes(column) { bytes in
            unsafe combine(bytes, of: isNull(column) ? .min : integer(column), into: &hasher)
        }
    }

    /// Adds a value to a hash.
    /// - Parameter number: The value to hash if there are no bytes.
    @inline(__always)
    private func combine(
        _ bytes: UnsafeRawBufferPointer, of number: @autoclosure () -> Int64, into hasher: inout KeyedHash
    ) {
        unsafe hasher.combine(text: bytes)
        if unsafe bytes.isEmpty { hasher.combine(number()) }
    }

    /// Hashes a date to the second, because some receipts drop the milliseconds.
    @inline(__always)
    func hash(seconds column: Int, into hasher: inout KeyedHash) {
        hasher.combine(isNull(column) ? Int64.min : integer(column) / 1000)
    }
}

@inline(__always)
func combine(_ one: UInt64, _ other: UInt64) -> UInt64 {
    var hasher = KeyedHash()
    hasher.combine(one)
    hasher.combine(other)
    return hasher.value
}
