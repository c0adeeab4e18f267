package import AppReceipt

/// What an audit says of one record, as its tree holds it: three lines of text and the statement, each ended by a line feed.
///
///     appreceipt record 1
///     source 3f0a…                   SHA-256 of the source's name, as the audit was given it
///     place 17                       of the record in it, from 1 on
///     {"id":"…","sha256":"…","content_sha256":"…","status":"genuine",…}
///
/// The statement is the record's line of NDJSON without what follows from the bytes that its `sha256` names: the members
/// from `signature` on, up to `eligibility` where there is a catalogue. What was refused or absent is told whole. So the
/// bytes, the name and the subject under which they were presented, and all that was decided stand in the leaf, and a text
/// can be made and hashed with a shell and `openssl`.
package struct AuditLeaf: Hashable, Sendable {
    /// Of the source's name: whoever is shown one record need not learn what others' files are called.
    package let source: SHA256Digest
    package let place: UInt64
    /// Without the line feed.
    package let statement: [UInt8]

    package init(source: SHA256Digest, place: UInt64, statement: [UInt8]) {
        (self.source, self.place, self.statement) = (source, place, statement)
    }

    fileprivate static let title = "appreceipt record 1\nsource "
    fileprivate static let placeName = "\nplace "

    /// Reads ``bytes``.
    /// - Returns: nil for anything that was not made here.
    package init?(parsing bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count == 5, lines[1].count > 7, lines[2].count > 6,
            let source = SHA256Digest(hexadecimal: lines[1].dropFirst(7)),
            let place = UInt64(String(decoding: lines[2].dropFirst(6), as: UTF8.self))
        else { return nil }
        (self.source, self.place, statement) = (source, place, Array(lines[3]))
        guard self.bytes == bytes else { return nil }
    }

    package var bytes: [UInt8] {
        Array("\(Self.title)\(source.text)\(Self.placeName)\(place)\n".utf8) + statement + [0x0A]
    }
}

/// Hashes the leaves of one source.
package struct LeafHasher {
    private let source: String
    private let tree: MerkleTree
    /// The mark of a leaf and all that is the same for each.
    private var head: [UInt8]
    private let start: Int

    /// - Throws: `ReceiptError`, where OpenSSL fails.
    package init(_ tree: MerkleTree, source: String) throws(ReceiptError) {
        (self.tree, self.source) = (tree, source)
        let digest = try tree.digest(of: source).text
        head = [0] + "\(AuditLeaf.title)\(digest)\(AuditLeaf.placeName)".utf8
        start = head.count
    }

    /// Byte for byte: what looks alike may be another file.
    package func isOf(_ source: String) -> Bool { self.source.utf8.elementsEqual(source.utf8) }

    /// - Parameters:
    ///   - place: of the record.
    ///   - first, second: the statement in two parts, a line feed at its end.
    package mutating func hash(
        place: Int, _ first: Span<UInt8>, _ second: Span<UInt8>
    ) throws(ReceiptError) -> SHA256Digest {
        head.removeLast(head.count - start)
        append(place)
        head.append(0x0A)
        return try tree.leaf(marked: head.span, first, second)
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
