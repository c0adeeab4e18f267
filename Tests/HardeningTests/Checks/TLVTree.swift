/// The elements of BER bytes as a tree that can be edited; its lengths are written anew.
struct TLVNode {
    var tag: UInt8
    /// Of a primitive element, or of a constructed one that did not parse.
    var content: [UInt8]
    /// In place of the content where it is elements itself, in OCTET STRINGs too.
    var children: [TLVNode]?
    var length = LengthForm.minimal

    enum LengthForm: Hashable {
        case minimal
        /// The long form with this many octets, or more where they are needed.
        case octets(Int)
        case indefinite
    }

    /// Nil where the bytes are not elements from front to back.
    static func parse(_ bytes: ArraySlice<UInt8>, depth: Int = 12) -> [TLVNode]? {
        var rest = bytes
        var nodes: [TLVNode] = []
        while !rest.isEmpty {
            let first = rest.dropFirst().first ?? 0
            guard let element = SecondDecoder.element(&rest, depth: 12) else { return nil }
            var node = TLVNode(tag: element.tag, content: element.content)
            if first >= 0x80 { node.length = first == 0x80 ? .indefinite : .octets(Int(first & 0x7F)) }
            let mayNest = element.tag & 0x20 != 0 || element.tag == 0x04
            if mayNest, depth > 0, !element.content.isEmpty {
                node.children = parse(element.content[...], depth: depth - 1)
            }
            nodes.append(node)
        }
        return nodes
    }

    static func encode(_ nodes: [TLVNode]) -> [UInt8] {
        var bytes: [UInt8] = []
        for node in nodes { node.encode(into: &bytes) }
        return bytes
    }

    func encode(into bytes: inout [UInt8]) {
        let content = children.map(TLVNode.encode) ?? self.content
        bytes.append(tag)
        switch length {
        case .minimal where content.count < 0x80: bytes.append(UInt8(content.count))
        case .indefinite where tag & 0x20 != 0:
            bytes.append(0x80)
            bytes += content + [0, 0]
            return
        default:
            var octets = (64 - content.count.leadingZeroBitCount + 7) / 8
            if case .octets(let written) = length { octets = max(octets, written) }
            bytes.append(0x80 | UInt8(octets))
            for octet in (0..<octets).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: content.count >> (8 * octet)))
            }
        }
        bytes += content
    }

    /// Itself and everything below it.
    var count: Int { 1 + (children ?? []).reduce(0) { $0 + $1.count } }

    /// Calls `edit` with the list that holds the element of this number, counted from the front, and its index.
    static func edit(_ nodes: inout [TLVNode], _ number: Int, _ edit: (inout [TLVNode], Int) -> Void) {
        var rest = number
        for index in nodes.indices {
            if rest == 0 { return edit(&nodes, index) }
            let count = nodes[index].count
            if rest < count {
                var children = nodes[index].children ?? []
                Self.edit(&children, rest - 1, edit)
                nodes[index].children = children
                return
            }
            rest -= count
        }
    }
}
