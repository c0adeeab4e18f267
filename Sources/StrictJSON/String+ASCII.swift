// Callers look up ASCII names only. Swift compares and hashes other text by canonical equivalence, which
// takes a hundred times as long. A kelvin sign (U+212A) would also match the name K.
extension String {
    package var isASCII: Bool {
        // Iterating over a view that the compiler does not know to be contiguous takes twenty steps per byte.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy { $0 < 0x80 } }
            ?? utf8.allSatisfy { $0 < 0x80 }
    }

    /// The string itself if it is ASCII, else the empty string, which no table contains.
    package var ifASCII: String { isASCII ? self : "" }
}
