import ReceiptASN1
import RecordSources

/// A printer of a receipt's elements to standard output, one line each, with their names.
struct ReceiptTree {
    /// The state of an open element.
    private struct Node {
        let place: ReceiptGrammar
        /// The attribute that the element is or belongs to.
        var attribute: AttributeName?
        /// The number of child elements so far, without those tagged `[n]`.
        private var children = 0

        init(_ place: ReceiptGrammar, attribute: AttributeName? = nil) {
            self.place = place
            self.attribute = attribute
        }

        /// Returns the state of the next child element.
        mutating func enter(_ element: ASN1Walker.Element, of bytes: Span<UInt8>) -> Node {
            let place = place.child(children, element.tag)
            if element.tag.rawValue & 0xE0 != 0xA0 { children += 1 }
            switch place {
            case .attribute, .inAppAttribute:
                var reader = ASN1Reader(bytes, in: element.content)
                let type = try? reader.integer()
                return Node(
                    place, attribute: type.map { AttributeName($0, isInApp: place == .inAppAttribute) })
            case .attributeValue where attribute?.isPurchase ?? false: return Node(.inAppValue)
            default: return Node(place, attribute: attribute)
            }
        }

        /// Returns whether the content of an OCTET STRING is elements.
        func holdsElements(_ element: ASN1Walker.Element, of bytes: Span<UInt8>) -> Bool {
            guard element.tag == .octetString else { return false }
            switch place {
            case .extnValue, .inAppValue, .wrappedPayload: return true
            case .eContent:
                // Other programs sign content that is not a receipt.
                let first =
                    element.content.isEmpty ? nil : ASN1Tag(rawValue: bytes[element.content.lowerBound])
                return first == .set || first == .octetString
            case .attributeValue:
                if let isRaw = attribute?.isRaw { return !isRaw }
                var reader = ASN1Reader(bytes, in: element.content)
                return (try? reader.element()) == element.content
            default: return false
            }
        }

        var label: String {
            switch place {
            case .attribute, .inAppAttribute: attribute?.label ?? "attribute"
            default: place.rawValue
            }
        }
    }

    private let style: TerminalStyle
    private let values: ASN1ValueText
    private var text = ""
    private var columnWidth = 0
    /// The first fault, in words.
    private var fault: String?

    init(style: TerminalStyle, isFull: Bool) {
        self.style = style
        values = ASN1ValueText(limit: isFull ? nil : 32)
    }

    /// Writes the tree.
    /// - Returns: The first fault of the input and its offset, or nil.
    mutating func write(_ bytes: [UInt8], from source: String) throws(AuditError) -> String? {
        text += style(
            "Not verified: the content of \(source.shown) may be forged.\n", .yellow)
        let joined = try walk(bytes.span, from: Self.root(of: bytes.span))
        if !joined.isEmpty {
            text += "\nThe \(joined.count) bytes of eContent, chunks joined; offsets count in them:\n"
            try walk(joined.span, from: .eContent)
        }
        try flush(atLeast: 1)
        return fault
    }

    /// Returns the position of the root. A SEQUENCE that begins with an OBJECT IDENTIFIER may be a receipt.
    /// One that begins with a SEQUENCE may be a certificate.
    private static func root(of bytes: Span<UInt8>) -> ReceiptGrammar {
        var walker = ASN1Walker(bytes)
        guard case .element? = try? walker.next(), case .element(let first)? = try? walker.next() else {
            return .other
        }
        return first.tag == .objectIdentifier ? .input : first.tag == .sequence ? .certificates : .other
    }

    // MARK: - Walking

    /// Walks the elements.
    /// - Parameter root: The position around the first element.
    /// - Returns: The bytes of eContent if it is chunked, as far as they exist.
    @discardableResult
    private mutating func walk(_ bytes: Span<UInt8>, from root: ReceiptGrammar) throws(AuditError) -> [UInt8]
    {
        columnWidth = max(6, String(bytes.count).count)
        text += style("\("offset".leftPadded(to: columnWidth))  header+content\n", .dim)
        var walker = ASN1Walker(bytes)
        var path = [Node(root)]
        var joined: [UInt8] = []
        while true {
            let event: ASN1Walker.Event?
            do throws(ASN1Error) {
                event = try walker.next()
            } catch {
                note(error, isJoined: root == .eContent)
                if walker.resume() { continue }
                return joined
            }
            switch event {
            case nil: return joined
            case .endOfContents(let offset, let depth):
                line(offset, "2", depth, style("end-of-contents", .dim))
            case .element(let element):
                path.removeSubrange((element.depth + 1)...)
                let node = path[element.depth].enter(element, of: bytes)
                path.append(node)
                let isOpened = node.holdsElements(element, of: bytes) && walker.descend()
                describe(element, node, isOpened: isOpened, of: bytes)
                if node.place == .chunk { for index in element.content { joined.append(bytes[index]) } }
            }
            try flush(atLeast: 1 << 16)
        }
    }

    // MARK: - Lines

    private mutating func describe(
        _ element: ASN1Walker.Element, _ node: Node, isOpened: Bool, of bytes: Span<UInt8>
    ) {
        let length = element.isIndefinite ? "indefinite" : String(element.content.count)
        var parts = [element.tag.description, style(node.label, .cyan)]
        if !element.tag.isConstructed && !isOpened {
            let content = element.content.map { bytes[$0] }
            parts.append(values.text(of: element.tag, content))
            if node.place == .other, element.tag == .integer,
                let meaning = node.attribute?.meaning(of: content)
            {
                parts.append(style("(\(meaning))", .dim))
            }
        }
        if element.isTruncated { parts.append(style("cut off", .red)) }
        let description = parts.filter { !$0.isEmpty }.joined(separator: "  ")
        line(element.offset, "\(element.headerLength)+\(length)", element.depth, description)
        if node.place == .certificate { summarize(element, of: bytes) }
    }

    private mutating func summarize(_ element: ASN1Walker.Element, of bytes: Span<UInt8>) {
        guard let summary = try? CertificateSummary(of: element.content, in: bytes) else { return }
        for (label, value) in summary.lines {
            line(nil, "", element.depth + 1, "\(style(label.padded(to: 8), .dim))\(value.shortened(to: 400))")
        }
    }

    /// Stores the first fault, and marks each fault in the tree.
    private mutating func note(_ error: ASN1Error, isJoined: Bool) {
        let place = isJoined ? "byte \(error.offset) of the joined content" : "byte \(error.offset)"
        let description = "malformed at \(place): \(error.fault)"
        // A truncation causes the same fault at every level around it.
        if fault == description { return }
        fault = fault ?? description
        line(error.offset, "", 0, style("damaged here: \(error.fault)", .red))
    }

    private mutating func line(_ offset: Int?, _ lengths: String, _ depth: Int, _ description: String) {
        let numbers =
            (offset.map(String.init) ?? "").leftPadded(to: columnWidth) + "  " + lengths.padded(to: 12)
        text += "\(style(numbers, .dim))  \(String(repeating: "  ", count: depth))\(description)\n"
    }

    private mutating func flush(atLeast size: Int) throws(AuditError) {
        guard text.utf8.count >= size else { return }
        try StandardOutput.write(Array(text.utf8))
        text = ""
    }
}
