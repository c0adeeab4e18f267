/// A hash table of identifiers of apps, groups or products, with their indices in a catalog.
///
/// Identifiers are compared byte for byte. Identifiers of a receipt are looked up as ranges of its bytes,
/// without creating a String.
struct IdentifierTable: Sendable {
    private var text: [UInt8] = []
    private var slices: [Range<Int>] = []
    /// The slots of the hash table, with open addressing. Their number is a power of two, at least half of
    /// them are empty, and empty ones contain -1.
    private var slots: [Int32] = [-1, -1]
    /// The secret of the hash function. A request may contain a catalog, whose author could otherwise choose
    /// identifiers that all collide.
    private let seed = UInt64.random(in: .min ... .max)

    /// Returns the index of an identifier, or nil if the table does not contain it.
    func index(of identifier: Span<UInt8>) -> Int? {
        var slot = Int(truncatingIfNeeded: hash(identifier, seed)) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if equal(text.span.extracting(slices[index]), identifier) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    func index(of identifier: String) -> Int? {
        var identifier = identifier
        return identifier.withUTF8 { unsafe index(of: $0.span) }
    }

    /// Adds an identifier with the next index. Returns false if the table already contains it.
    mutating func append(_ identifier: String) -> Bool {
        guard index(of: identifier) == nil else { return false }
        let start = text.count
        text.append(contentsOf: identifier.utf8)
        slices.append(start..<text.count)
        if slices.count * 2 > slots.count {
            slots = Array(repeating: -1, count: slots.count * 2)
            for index in slices.indices { insert(index) }
        } else {
            insert(slices.count - 1)
        }
        return true
    }

    private mutating func insert(_ index: Int) {
        let hash = hash(text.span.extracting(slices[index]), seed)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(truncatingIfNeeded: index)
    }
}

private func hash(_ text: Span<UInt8>, _ seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: text.count)
    for offset in stride(from: 0, to: text.count, by: 8) {
        let (high, low) = (hash ^ text.word(at: offset)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        hash = high ^ low
    }
    return hash
}

/// Returns whether two texts have the same bytes.
func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in stride(from: 0, to: left.count, by: 8) where left.word(at: offset) != right.word(at: offset)
    {
        return false
    }
    return true
}

extension Span<UInt8> {
    /// Returns the eight bytes from `offset` as one number, with zeros beyond the end.
    fileprivate func word(at offset: Int) -> UInt64 {
        if count - offset >= 8 {
            return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        var word: UInt64 = 0
        for index in (offset..<count).reversed() { word = word << 8 | UInt64(self[index]) }
        return word
    }
}
