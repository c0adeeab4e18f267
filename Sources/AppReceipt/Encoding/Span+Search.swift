import CReceiptCrypto

// Kilobytes of text are scanned before a signature check of 46 µs. Scanning byte by byte would take a tenth
// of that time.
extension Span<UInt8> {
    /// Returns the index of the first such character, or the end if there is none.
    package func index(of character: Unicode.Scalar, from start: Int = 0) -> Int {
        guard start < count else { return count }
        let rest = extracting(start..<count)
        let byte = UInt8(truncatingIfNeeded: character.value)
        return unsafe rest.withSlice { unsafe start + receipt_crypto_index_of($0, byte) }
    }

    /// Returns whether the bytes at an offset are these.
    func starts(with prefix: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        guard offset >= 0, prefix.count <= count - offset else { return false }
        return zip(offset..., prefix).allSatisfy { self[$0] == $1 }
    }

    /// Returns a range without the blanks and line ends around it, which are the white space of JSON (RFC 8259, 2).
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, self[first].isBlankOrLineEnd { range.removeFirst() }
        while let last = range.last, self[last].isBlankOrLineEnd { range.removeLast() }
        return range
    }

    package func copy(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The length of a prefix without quotes, backslashes, control characters except DEL, and bytes outside
    /// ASCII. It may be shorter than the longest one, and is 0 on many processors.
    package var plainPrefix: Int { unsafe withSlice { unsafe receipt_crypto_plain_stretch($0) } }

    /// Whether all bytes are ASCII without control characters other than white space.
    package var isPlainText: Bool {
        unsafe withSlice { unsafe receipt_crypto_is_plain_text($0) }
    }
}
