// An old-style property list, as in SKPaymentTransaction.transactionReceipt and its purchase-info:
//
//     { "name" = "text"; … }
//
// Apple, "Old-Style ASCII Property Lists". All known receipts contain only quoted text. The other features of
// the format (bare words, arrays, data, comments, escapes) are refused, because two readers could interpret
// them differently.

/// The names and texts of a dictionary, in their order, with the range of each text.
struct PropertyList {
    private(set) var members: [(name: String, text: Range<Int>)] = []

    /// Parses the dictionary that fills the bytes, except for white space around it.
    /// - Parameter field: the name of the list in errors.
    init(parsing bytes: Span<UInt8>, field: String) throws(ReceiptError) {
        var position = 0
        func fail(_ fault: TransactionReceiptFault) -> ReceiptError {
            ReceiptError(.malformed, .transactionReceipt(fault), offset: position, field: field)
        }
        func skipSpace() {
            while position < bytes.count, bytes[position].isBlankOrLineEnd { position += 1 }
        }
        func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(truncatingIfNeeded: character.value) else {
                return false
            }
            position += 1
            return true
        }
        func quoted() throws(ReceiptError) -> Range<Int> {
            guard take("\"") else { throw fail(.propertyList) }
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                guard bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\\") else {
                    throw fail(.propertyList)
                }
                position += 1
            }
            guard position < bytes.count else { throw fail(.propertyList) }
            position += 1
            return start..<position - 1
        }

        var names = Set<[UInt8]>()
        guard take("{") else { throw fail(.propertyList) }
        while !take("}") {
            let name = try quoted()
            guard names.insert(name.map { bytes[$0] }).inserted else { throw fail(.memberTwice) }
            guard take("=") else { throw fail(.propertyList) }
            let text = try quoted()
            guard take(";") else { throw fail(.propertyList) }
            guard let key = bytes.text(name), bytes.text(text) != nil else { throw fail(.propertyList) }
            members.append((key, text))
        }
        skipSpace()
        guard position == bytes.count else { throw fail(.propertyList) }
    }

    /// Returns the range of a member's text.
    func range(_ name: String) -> Range<Int>? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.text
    }
}

extension Span<UInt8> {
    /// Returns the UTF-8 text of the range, or nil if it is not UTF-8.
    func text(_ range: Range<Int>) -> String? {
        guard let text = try? UTF8Span(validating: extracting(range)) else { return nil }
        return String(copying: text)
    }
}
