/// The names of the members of all objects that are open, escapes resolved, so that a second one of a name is an
/// error and neither "first" nor "last" wins.
///
/// An object of a million members must not cost a million times a million comparisons, nor may a stranger choose
/// names that collide: a table by a hash whose seed is the process's own, above a handful of members.
struct MemberNames {
    private struct Name {
        let hash: Int
        /// Where its bytes end; they begin where those of the name before it end.
        let end: Int
    }

    /// Those of one object: a stretch at the end of all names.
    struct Scope {
        fileprivate let first: Int
        /// Indexes of names, from 1 on; 0 is free. Empty for a handful of names. A power of two, at most half full.
        fileprivate var table: [UInt32] = []
    }

    private var names: [Name] = []
    private var bytes: [UInt8] = []

    /// Of all objects that are open.
    var count: Int { names.count }

    /// Begins an object; what is inserted from here on belongs to it, until it is left.
    func enter() -> Scope { Scope(first: names.count) }

    /// Forgets the names of the innermost object.
    mutating func leave(_ scope: Scope) {
        names.removeSubrange(scope.first...)
        bytes.removeSubrange((names.last?.end ?? 0)...)
    }

    /// Adds a name to the innermost object.
    /// - Parameter write: appends the name's bytes.
    /// - Returns: false where it was there already.
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

    /// Doubles the table, or makes the first one.
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
