/// The member names of all open objects, with escapes resolved. The reader rejects a second member of the
/// same name, so neither the first nor the last takes precedence.
///
/// Objects with more than a few members use a hash table, because comparing all pairs of a million names
/// would take too long. The hash seed differs in each process, so an attacker cannot choose names that
/// collide.
struct MemberNames {
    private struct Name {
        let hash: Int
        /// The end of the name's bytes, which start at the end of the previous name.
        let end: Int
    }

    /// The names of one object: a range at the end of all names.
    struct Scope {
        fileprivate let first: Int
        /// The indexes of names, counted from 1; 0 marks a free slot. Empty for objects with few members. The
        /// size is a power of two, and at most half of the slots are used.
        fileprivate var table: [UInt32] = []
    }

    private var names: [Name] = []
    private var bytes: [UInt8] = []

    /// The number of names in all open objects.
    var count: Int { names.count }

    /// Begins an object. Names inserted from now on belong to it, until `leave`.
    func enter() -> Scope { Scope(first: names.count) }

    /// Removes the names of the innermost object.
    mutating func leave(_ scope: Scope) {
        names.removeSubrange(scope.first...)
        bytes.removeSubrange((names.last?.end ?? 0)...)
    }

    /// Adds a name to the innermost object.
    /// - Parameter write: appends the bytes of the name.
    /// - Returns: false if the object already has this name.
    mutating func insert(into scope: inout Scope, _ write: (inout [UInt8]) -> Void) -> Bool {
        let start = bytes.count
        write(&bytes)
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        let name = Name(hash: hasher.finalize(), end: bytes.count)
        let isNew = insert(name, from: start, into: &scope)
        if isNew { names.append(name) } else { bytes.removeSubrange(start...) }
        return isNew
    }

    private func insert(_ name: Name, from start: Int, into scope: inout Scope) -> Bool {
        let count = names.count - scope.first
        if scope.table.isEmpty && count < 8 {
            return !(scope.first..<names.count).contains { isEqual(name, from: start, $0) }
        }
        if 2 * (count + 1) > scope.table.count { grow(&scope) }
        var slot = name.hash & (scope.table.count - 1)
        while scope.table[slot] != 0 {
            if isEqual(name, from: start, scope.first + Int(scope.table[slot]) - 1) { return false }
            slot = (slot + 1) & (scope.table.count - 1)
        }
        scope.table[slot] = UInt32(truncatingIfNeeded: count + 1)
        return true
    }

    private func isEqual(_ name: Name, from start: Int, _ index: Int) -> Bool {
        let other = index == 0 ? 0 : names[index - 1].end
        return names[index].hash == name.hash && names[index].end - other == name.end - start
            && bytes[other..<names[index].end].elementsEqual(bytes[start..<name.end])
    }

    /// Doubles the size of the table, or creates it.
    private func grow(_ scope: inout Scope) {
        let mask = max(32, 2 * scope.table.count) - 1
        scope.table = Array(repeating: 0, count: mask + 1)
        for (index, name) in names[scope.first...].enumerated() {
            var slot = name.hash & mask
            while scope.table[slot] != 0 { slot = (slot + 1) & mask }
            scope.table[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
    }
}
