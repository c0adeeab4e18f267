import ReceiptForge

/// Mutates bytes as elements: removes, duplicates, moves, wraps and refills them, and corrects the enclosing
/// lengths. A mutant is then refused for its content, not for a wrong length.
struct TLVMutator {
    var random: SplitMix64
    /// Mutates a content at random. A fuzzer replaces this with its own mutator.
    var mutateBytes: (inout [UInt8], inout SplitMix64) -> Void = { $0.mutate(using: &$1) }
    /// The elements of the current bytes. Each element follows its parent.
    private var places: [TLVPlace] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Returns the bytes after one or two edits, because a search builds on earlier mutants. Bytes that are
    /// not elements are mutated as bytes.
    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for edit in 0...below(8) / 5 {
            places.removeAll(keepingCapacity: true)
            let areElements = TLVPlace.append(bytes, 0..<bytes.count, in: -1, to: &places)
            guard areElements, !places.isEmpty, below(8) > 0 || edit > 0 else {
                if edit == 0 { mutateBytes(&bytes, &random) }
                return bytes
            }
            change(&bytes, places[below(places.count)])
        }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ place: TLVPlace) {
        let whole = place.start..<place.end
        let other = places[below(places.count)]
        let content = Array(bytes[place.content])
        let isNext = other.start == place.end && other.parent == place.parent
        switch below(14) {
        case 0: replace(whole, [], &bytes, place)
        case 1: replace(place.end..<place.end, bytes[whole], &bytes, place)
        case 2 where isNext:
            let swapped = bytes[other.start..<other.end] + bytes[whole]
            replace(place.start..<other.end, swapped, &bytes, place)
        case 2: replace(whole, bytes[other.start..<other.end], &bytes, place)
        case 3: bytes[place.start] = Self.tags[below(Self.tags.count)]
        case 4:
            let length: TLVNode.LengthForm = [.minimal, .octets(5), .indefinite][below(3)]
            refill(place, content, length, &bytes)
        case 5:
            let outer = TLVNode.header(0x30, .minimal, count: whole.count)
            replace(whole, outer + bytes[whole], &bytes, place)
        case 6: replace(whole, content[...], &bytes, place)
        case 7: replace(whole, chunks(place.tag, content, size: 1 + below(64))[...], &bytes, place)
        case 8: refill(place, Self.contents[below(Self.contents.count)], .minimal, &bytes)
        case 9:
            replace(place.start..<place.start, [0x02, 1, UInt8(below(256))], &bytes, place)
        case 10: replace(place.start..<place.start, bytes[other.start..<other.end], &bytes, place)
        default:
            var content = content
            mutateBytes(&content, &random)
            refill(place, content, place.length, &bytes)
        }
    }

    private func refill(
        _ place: TLVPlace, _ content: [UInt8], _ length: TLVNode.LengthForm, _ bytes: inout [UInt8]
    ) {
        let element = TLVNode(tag: place.tag, content: content, length: length)
        replace(place.start..<place.end, TLVNode.encode([element])[...], &bytes, place)
    }

    /// Replaces bytes in or around an element, and corrects the lengths of its parents.
    private func replace(
        _ range: Range<Int>, _ new: ArraySlice<UInt8>, _ bytes: inout [UInt8], _ place: TLVPlace
    ) {
        bytes.replaceSubrange(range, with: new)
        var growth = new.count - range.count
        var parent = place.parent
        while parent >= 0 {
            let outer = places[parent]
            parent = outer.parent
            if outer.length == .indefinite { continue }
            let header = TLVNode.header(outer.tag, outer.length, count: outer.content.count + growth)
            bytes.replaceSubrange(outer.start..<outer.content.lowerBound, with: header)
            growth += header.count - (outer.content.lowerBound - outer.start)
        }
    }

    /// Returns a string in chunks, as Xcode encodes it.
    private func chunks(_ tag: UInt8, _ content: [UInt8], size: Int) -> [UInt8] {
        var bytes = [tag | 0x20, 0x80]
        for start in stride(from: 0, to: content.count, by: size) {
            let chunk = content[start..<min(start + size, content.count)]
            bytes += TLVNode.header(tag & 0x1F, .minimal, count: chunk.count) + chunk
        }
        return bytes + [0, 0]
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private static let tags: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x13, 0x16, 0x17, 0x18, 0x24, 0x30, 0x31, 0x80, 0xA0, 0xA1,
        0xA3, 0x00, 0x1F,
    ]

    /// Contents that often expose errors in parsers.
    static let contents: [[UInt8]] =
        [
            [], [0], [1], [0x7F], [0x80], [0xFF], [0, 0], [0, 0x80], [0x80] + [UInt8](repeating: 0, count: 7),
            [UInt8](repeating: 0xFF, count: 8), [0] + [UInt8](repeating: 0xFF, count: 8),
            [1] + [UInt8](repeating: 0, count: 8),
            [0x06, 0xA5], [0x06, 0xA6], [0x06, 0xB8], [0x11], [0x0C], [0x02],
        ]
        + [
            "2024-06-01T10:00:00Z", "2024-02-30T00:00:00Z", "4001-01-01T00:00:00Z",
            "2024-06-01T12:00:00.250+0200",
            "1969-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00Z", "Production",
            "Xcode", "",
            "240601100000Z", "20500101000000Z", "com.example.forge", "\u{E9}\u{10FFFF}",
        ].map { Array($0.utf8) }
}

/// The position of an element.
private struct TLVPlace {
    let tag: UInt8
    let length: TLVNode.LengthForm
    let start: Int
    let content: Range<Int>
    let end: Int
    /// The index of the parent element, or a negative number.
    let parent: Int

    /// Appends the elements in the bytes with their descendants, or nothing if the bytes are not elements.
    /// Mutating takes longer than most checks, so this does not use the second decoder's slices.
    static func append(
        _ bytes: [UInt8], _ range: Range<Int>, in parent: Int, to places: inout [TLVPlace], depth: Int = 12
    ) -> Bool {
        let count = places.count
        var start = range.lowerBound
        while start < range.upperBound {
            guard let place = TLVPlace(bytes, start, before: range.upperBound, in: parent, depth: depth)
            else {
                places.removeSubrange(count...)
                return false
            }
            places.append(place)
            start = place.end
            if place.tag & 0x20 != 0 || place.tag == 0x04, depth > 0 {
                _ = append(bytes, place.content, in: places.count - 1, to: &places, depth: depth - 1)
            }
        }
        return true
    }

    private init?(_ bytes: [UInt8], _ start: Int, before end: Int, in parent: Int, depth: Int) {
        guard end - start >= 2, bytes[start] & 0x1F != 0x1F, bytes[start] != 0 else { return nil }
        (tag, self.start, self.parent) = (bytes[start], start, parent)
        length = TLVNode.LengthForm(written: bytes[start + 1])
        var first = start + 2
        var count = Int(bytes[start + 1])
        if case .octets(let octets) = length {
            guard octets <= 8, octets <= end - first else { return nil }
            count = bytes[first..<first + octets].reduce(0) { $0 &<< 8 | Int($1) }
            first += octets
        } else if length == .indefinite {
            guard tag & 0x20 != 0, depth > 0 else { return nil }
            var next = first
            while next + 1 < end, bytes[next] != 0 || bytes[next + 1] != 0 {
                guard let inner = TLVPlace(bytes, next, before: end, in: -1, depth: depth - 1) else {
                    return nil
                }
                next = inner.end
            }
            guard next + 1 < end else { return nil }
            (content, self.end) = (first..<next, next + 2)
            return
        }
        guard count >= 0, count <= end - first else { return nil }
        (content, self.end) = (first..<first + count, first + count)
    }
}

extension [UInt8] {
    /// Applies one to four edits: bits, bytes, and ranges removed or duplicated.
    mutating func mutate(using random: inout SplitMix64) {
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(Swift.max(1, bound))) }
        for _ in 0...below(4) {
            guard !isEmpty else { return append(UInt8(below(256))) }
            let place = below(count)
            let end = Swift.min(count, place + 1 + below(16))
            switch below(7) {
            case 0: self[place] ^= 1 << below(8)
            case 1: self[place] = UInt8(below(256))
            case 2: self[place] = [0x00, 0x01, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xFF, 0x22, 0x5C][below(10)]
            case 3: removeSubrange(place..<end)
            case 4: insert(contentsOf: self[place..<end], at: below(count))
            case 5: self[place] = self[place] &+ UInt8(below(3)) &- 1
            default: append(UInt8(below(256)))
            }
        }
    }
}
