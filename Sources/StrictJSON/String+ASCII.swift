// Callers look up ASCII names only. Swift compares and hashes other text by canonical equivalence, which
// takes a hundred times as long. It would also find a kelvin sign (U+212A) in a lookup of K.
extension String {
    /// Whether all characters are ASCII.
    package var isASCII: Bool {
        // Iterating over a view that is not known to be contiguous takes twenty steps a byte.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy { $0 < 0x80 } }
            ?? utf8.allSatisfy { $0 < 0x80 }
    }

    /// The string itself if it is ASCII, else the empty string, which no table contains.
    package var ifASCII: String { isASCII ? self : "" }
}
