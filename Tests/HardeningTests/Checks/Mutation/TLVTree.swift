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

        /// The form that the octet behind a tag announces.
        init(written first: UInt8) {
            self = first == 0x80 ? .indefinite : first > 0x80 ? .octets(Int(first & 0x7F)) : .minimal
        }
    }

    /// Nil where the bytes are not elements from front to back.
    static func parse(_ bytes: ArraySlice<UInt8>, depth: Int = 12) -> [TLVNode]? {
        var rest = bytes
        var nodes: [TLVNode] = []
        while !rest.isEmpty {
            let first = rest.dropFirst().first ?? 0
            guard let element = SecondDecoder.element(&rest, depth: 12) else { return nil }
            var node = TLVNode(
                tag: element.tag, content: Array(element.content), length: LengthForm(written: first))
            if element.mayNest, depth > 0 { node.children = parse(element.content, depth: depth - 1) }
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
        let header = Self.header(tag, length, count: content.count)
        bytes += header
        bytes += content
        if length == .indefinite, header[1] == 0x80 { bytes += [0, 0] }
    }

    /// Tag and length; a primitive element has no indefinite one and gets a definite one.
    static func header(_ tag: UInt8, _ length: LengthForm, count: Int) -> [UInt8] {
        switch length {
        case .minimal where count < 0x80: return [tag, UInt8(count)]
        case .indefinite where tag & 0x20 != 0: return [tag, 0x80]
        default:
            var octets = (64 - count.leadingZeroBitCount + 7) / 8
            if case .octets(let written) = length { octets = max(octets, written) }
            var bytes = [tag, 0x80 | UInt8(max(octets, 1))]
            for octet in (0..<max(octets, 1)).reversed() {
                bytes.append(octet < 8 ? UInt8(truncatingIfNeeded: count >> (8 * octet)) : 0)
            }
            return bytes
        }
    }

    /// Itself and everything in it that takes this many bytes or fewer.
    func pieces(upTo longest: Int) -> [[UInt8]] {
        let encoded = TLVNode.encode([self])
        let inner = (children ?? []).flatMap { $0.pieces(upTo: longest) }
        return (encoded.count <= longest ? [encoded] : []) + inner
    }
}
