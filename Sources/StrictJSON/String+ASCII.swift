// The names that a program asks for are ASCII. Swift compares and hashes others by what they look like, which takes a hundred
// times as long, and would find a kelvin sign where a K is asked for.
extension String {
    /// Whether all is ASCII.
    package var isASCII: Bool {
        // A view of bytes that may lie anywhere takes twenty steps for each.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy { $0 < 0x80 } }
            ?? utf8.allSatisfy { $0 < 0x80 }
    }

    /// A member's name to look for in a table: empty, which is in none, unless it is ASCII.
    package var ifASCII: String { isASCII ? self : "" }
}
