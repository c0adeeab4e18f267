/// The elements of BER bytes as an editable tree. Encoding it computes the lengths again.
struct TLVNode {
    var tag: UInt8
    /// The content of a primitive element, or of a constructed one that could not be parsed.
    var content: [UInt8]
    /// The nested elements instead of the content, also in an OCTET STRING.
    var children: [TLVNode]?
    var length = LengthForm.minimal

    enum LengthForm: Hashable {
        case minimal
        /// The long form with this number of octets, or more if needed.
        case octets(Int)
        case indefinite

        /// Creates the form that the octet after a tag indicates.
        init(written first: UInt8) {
            self = first == 0x80 ? .indefinite : first > 0x80 ? .octets(Int(first & 0x7F)) : .minimal
        }
    }

    /// Parses bytes as elements. Returns nil if they are not elements up to the end.
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

    /// Returns tag and length. A primitive element with an indefinite length gets a definite one.
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

    /// Returns the encodings of the element and its descendants that have at most this length.
    func pieces(upTo longest: Int) -> [[UInt8]] {
        let encoded = TLVNode.encode([self])
        let inner = (children ?? []).flatMap { $0.pieces(upTo: longest) }
        return (encoded.count <= longest ? [encoded] : []) + inner
    }
}
