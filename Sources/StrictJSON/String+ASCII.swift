// Callers look up ASCII names only. Swift compares, hashes and splits other text by canonical equivalence, which
// takes quadratic time for a run of combining marks. A kelvin sign (U+212A) would also match the name K.
extension String {
    package var isASCII: Bool {
        // Iterating over a view that the compiler does not know to be contiguous takes twenty steps per byte.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy { $0 < 0x80 } }
            ?? utf8.allSatisfy { $0 < 0x80 }
    }

    /// The string itself if it is ASCII, else the empty string, which no table contains.
    package var ifASCII: String { isASCII ? self : "" }

    /// Returns whether both strings have the same bytes of UTF-8. For untrusted text, in place of `==`.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Objects of one response share the texts of the response, which can be long.
        let result = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                unsafe left.baseAddress == right.baseAddress || left.elementsEqual(right)
            }
        }
        return result.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Returns whether both are nil, or have the same bytes of UTF-8.
    package func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}
