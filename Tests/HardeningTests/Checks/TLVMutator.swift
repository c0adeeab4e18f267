import ReceiptForge

/// Changes bytes as elements: takes some out, doubles, moves, wraps and refills them, and fixes the lengths around
/// them, so that a mutant is refused for what it says and not for how long it says that it is.
struct TLVMutator {
    var random: SplitMix64
    /// Changes a content at random; a fuzzer puts its own in place of it.
    var mutateBytes: (inout [UInt8], inout SplitMix64) -> Void = { $0.mutate(using: &$1) }

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// One to four edits. Bytes that are no elements are changed as bytes.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        guard var nodes = TLVNode.parse(bytes[...]), !nodes.isEmpty, below(8) > 0 else {
            var bytes = bytes
            mutateBytes(&bytes, &random)
            return bytes
        }
        for _ in 0...below(4) {
            let count = nodes.reduce(0) { $0 + $1.count }
            if count == 0 { break }
            var graft: TLVNode?
            if below(8) == 0 { TLVNode.edit(&nodes, below(count)) { graft = $0[$1] } }
            let (place, kind, pick) = (below(count), below(13), below(1 << 30))
            TLVNode.edit(&nodes, place) { [graft] list, index in
                if let graft { return list.insert(graft, at: index) }
                self.change(&list, index, kind, pick)
            }
        }
        return TLVNode.encode(nodes)
    }

    private mutating func change(_ list: inout [TLVNode], _ index: Int, _ kind: Int, _ pick: Int) {
        switch kind {
        case 0: list.remove(at: index)
        case 1: list.insert(list[index], at: index)
        case 2: list.swapAt(index, pick % list.count)
        case 3: list[index].tag = Self.tags[pick % Self.tags.count]
        case 4: list[index].length = [.minimal, .octets(5), .indefinite][pick % 3]
        case 5: list[index] = TLVNode(tag: 0x30, content: [], children: [list[index]])
        case 6:
            if let children = list[index].children { list.replaceSubrange(index...index, with: children) }
        case 7: list[index].chunk(size: 1 + pick % 64)
        case 8:
            list[index] = TLVNode(tag: list[index].tag, content: Self.contents[pick % Self.contents.count])
        case 9: list.insert(TLVNode(tag: 0x02, content: [UInt8(truncatingIfNeeded: pick)]), at: index)
        default:
            var content = list[index].children.map(TLVNode.encode) ?? list[index].content
            mutateBytes(&content, &random)
            list[index] = TLVNode(tag: list[index].tag, content: content, length: list[index].length)
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private static let tags: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x13, 0x16, 0x17, 0x18, 0x24, 0x30, 0x31, 0x80, 0xA0, 0xA1,
        0xA3, 0x00, 0x1F,
    ]

    /// Contents that parsers go wrong at.
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

extension TLVNode {
    /// Cuts a string into chunks, as Xcode does.
    fileprivate mutating func chunk(size: Int) {
        let bytes = children.map(TLVNode.encode) ?? content
        tag |= 0x20
        length = .indefinite
        children = stride(from: 0, to: bytes.count, by: size).map {
            TLVNode(tag: tag & 0x1F, content: Array(bytes[$0..<min($0 + size, bytes.count)]))
        }
    }
}

extension [UInt8] {
    /// One to four edits: bits, bytes, pieces taken out or doubled.
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
