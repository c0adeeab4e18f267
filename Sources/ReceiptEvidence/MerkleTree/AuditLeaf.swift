package import AppReceipt
package import ReceiptJSON

/// The answer to one record, as an audit's tree holds it: four lines of text and the statement, each ended by a line feed.
///
///     appreceipt record 2
///     source 1                       of the audit's sources, in their order, from 1 on
///     place 17                       of the record in the source, from 1 on
///     received base64                ReceivedBytes: base64, nothing, or the SHA-256 of the bytes
///     {"id":"…","sha256":"…","content_sha256":"…","status":"genuine",…}
///
/// The statement is the record's line of NDJSON without the members that follow from the bytes that its `sha256` names: those
/// from `signature` on, up to `eligibility` where there is a catalog. A refused or absent record's statement is its whole line.
/// Where the record is the source itself, the statement leaves out the source's name: `"source":""`. So the root does not depend on
/// how a path is spelled.
package struct AuditLeaf: Hashable, Sendable {
    package let source: UInt64
    package let place: UInt64
    package let received: ReceivedBytes
    /// Without the line feed.
    package let statement: [UInt8]

    package init(source: UInt64, place: UInt64, received: ReceivedBytes, statement: [UInt8]) {
        (self.source, self.place, self.received, self.statement) = (source, place, received, statement)
    }

    fileprivate static let title = "appreceipt record 2\nsource "
    fileprivate static let placeName = "\nplace "
    fileprivate static let receivedName = "\nreceived "
    /// What a statement begins with where the record has no id.
    package static let name = Array(#"{"source":""#.utf8)

    /// Reads ``bytes``.
    /// - Returns: nil for anything else.
    package init?(parsing bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count == 6, lines[1].count > 7, lines[2].count > 6, lines[3].count > 9,
            let source = UInt64(String(decoding: lines[1].dropFirst(7), as: UTF8.self)),
            let place = UInt64(String(decoding: lines[2].dropFirst(6), as: UTF8.self)),
            let received = ReceivedBytes(text: lines[3].dropFirst(9))
        else { return nil }
        (self.source, self.place, self.received, statement) = (source, place, received, Array(lines[4]))
        guard self.bytes == bytes else { return nil }
    }

    package var bytes: [UInt8] {
        Array(
            "\(Self.title)\(source)\(Self.placeName)\(place)\(Self.receivedName)\(received.text)\n".utf8)
            + statement + [0x0A]
    }

    /// Whether the record's name is part of the leaf; that of a source is not.
    package var isNamed: Bool {
        guard statement.starts(with: Self.name) else { return true }
        return ![UInt8(ascii: "\""), UInt8(ascii: "#")].contains(statement.dropFirst(Self.name.count).first)
    }
}

extension AuditLeaf {
    /// The statement of a record that is the source itself.
    /// - Parameter source: the source's name.
    package static func statement(_ whole: [UInt8], withoutName source: String) -> [UInt8] {
        name + whole.dropFirst(name.count + nameLength(source))
    }

    /// Bytes of a source's name in a statement.
    package static func nameLength(_ source: String) -> Int {
        JSONWriter.text { $0.string(source) }.count - 2
    }
}

extension ReceivedBytes {
    /// Reads ``text``.
    package init?(text: some Collection<UInt8>) {
        if text.elementsEqual("base64".utf8) {
            self = .base64
        } else if text.elementsEqual("nothing".utf8) {
            self = .nothing
        } else {
            guard let digest = SHA256Digest(hexadecimal: text) else { return nil }
            self = .digest(digest.bytes)
        }
    }
}

/// Hashes the leaves of one source.
package struct LeafHasher {
    private let source: Int
    private let tree: MerkleTree
    /// The mark of a leaf and the lines that are the same for each.
    private var head: [UInt8]
    private let start: Int

    /// - Parameter source: its number among the audit's sources, from 1 on.
    package init(_ tree: MerkleTree, source: Int) {
        (self.tree, self.source) = (tree, source)
        head = [0] + "\(AuditLeaf.title)\(source)\(AuditLeaf.placeName)".utf8
        start = head.count
    }

    package func isOf(_ source: Int) -> Bool { self.source == source }

    /// - Parameters:
    ///   - place: of the record.
    ///   - received: what it held.
    ///   - first, second: the statement in two parts, a line feed at its end.
    ///   - name: bytes of the source's name in the statement, where that names the source and not the record.
    /// - Throws: `ReceiptError`, where OpenSSL fails.
    package mutating func hash(
        place: Int, _ received: ReceivedBytes, _ first: Span<UInt8>, _ second: Span<UInt8>,
        withoutName name: Int? = nil
    ) throws(ReceiptError) -> SHA256Digest {
        head.removeLast(head.count - start)
        append(place)
        head += AuditLeaf.receivedName.utf8
        switch received {
        case .nothing: head += "nothing".utf8
        case .base64: head += "base64".utf8
        case .digest(let digest): append(digits: digest)
        }
        head.append(0x0A)
        guard let name else { return try tree.leaf(marked: head.span, first, second) }
        head += AuditLeaf.name
        // What is not genuine stands in the second part alone.
        let end = AuditLeaf.name.count + name
        let (one, other) = (min(end, first.count), min(max(0, end - first.count), second.count))
        return try tree.leaf(marked: head.span, first.extracting(one...), second.extracting(other...))
    }

    private mutating func append(digits bytes: [UInt8]) {
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                head.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    /// In digits: to make a text of it takes a fifth of all that a leaf does.
    private mutating func append(_ place: Int) {
        var rest = place.magnitude
        var (front, end) = (head.count, head.count)
        repeat {
            head.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            end += 1
        } while rest > 0
        while front < end - 1 {
            end -= 1
            head.swapAt(front, end)
            front += 1
        }
    }
}
