package import AppReceipt
package import ReceiptExamination
import StrictJSON

/// The verdict on one record as a leaf of an audit's tree: four lines of text and the statement, each ended
/// by a line feed.
///
///     appreceipt record 2
///     source 1                       number of the source in the audit, from 1
///     place 17                       number of the record in the source, from 1
///     received base64                ReceivedBytes: base64, nothing, or the SHA-256 of the bytes
///     {"id":"…","sha256":"…","content_sha256":"…","status":"genuine",…}
///
/// The statement is the record's NDJSON line without the members that can be derived from the bytes with its
/// `sha256`. These are the members from `signature` on, up to `eligibility` if there is a catalog. The
/// statement of a refused or absent record is its whole line. If the record is the source itself, the
/// statement omits the source's name: `"source":""`. The Merkle root therefore does not depend on the
/// spelling of a path.
package struct AuditLeaf: Hashable, Sendable {
    package let source: UInt64
    package let place: UInt64
    package let received: ReceivedBytes
    /// The record's statement without its line feed.
    package let statement: [UInt8]

    package init(source: UInt64, place: UInt64, received: ReceivedBytes, statement: [UInt8]) {
        (self.source, self.place, self.received, self.statement) = (source, place, received, statement)
    }

    fileprivate static let title = "appreceipt record 2\nsource "
    fileprivate static let placeName = "\nplace "
    fileprivate static let receivedName = "\nreceived "
    /// The prefix of the statement of a record without an ID.
    package static let name = Array(#"{"source":""#.utf8)

    /// Reads the output of ``bytes``, or returns nil for any other bytes.
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

    /// Whether the leaf contains the record's name. It does not if the record is the source itself.
    package var isNamed: Bool {
        guard statement.starts(with: Self.name) else { return true }
        return ![UInt8(ascii: "\""), UInt8(ascii: "#")].contains(statement.dropFirst(Self.name.count).first)
    }
}

extension AuditLeaf {
    /// Returns the statement of a record that is the source itself.
    /// - Parameter source: The source's name.
    package static func statement(_ whole: [UInt8], withoutName source: String) -> [UInt8] {
        name + whole.dropFirst(name.count + nameLength(source))
    }

    /// Returns the length of a source's name in a statement, in bytes.
    package static func nameLength(_ source: String) -> Int {
        JSONWriter.text { $0.string(source) }.count - 2
    }
}

extension ReceivedBytes {
    /// Reads the output of ``text``, or returns nil for any other text.
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

/// A hasher of the leaves of one source. Several leaves are hashed in less time together.
package struct LeafHasher {
    private let source: Int
    private let tree: MerkleTree
    /// The leaf mark, and the lines before the statement. The first `start` bytes are the same for each leaf.
    private var head: [UInt8]
    private let start: Int
    /// The hashes of the first leaves, nil if OpenSSL failed.
    private var hashed: [SHA256Digest]? = []
    /// The leaves after them, concatenated, and their ends.
    private var leaves: [UInt8] = []
    private var ends: [Int] = []

    /// The size of leaves in bytes from which they are hashed. A statement with verdicts may have megabytes.
    private static let mostBytes = 256 << 10

    /// Creates a hasher.
    /// - Parameter source: The number of the source in the audit, from 1.
    package init(_ tree: MerkleTree, source: Int) {
        (self.tree, self.source) = (tree, source)
        head = [0] + "\(AuditLeaf.title)\(source)\(AuditLeaf.placeName)".utf8
        start = head.count
    }

    package func isOf(_ source: Int) -> Bool { self.source == source }

    /// Adds one record's leaf.
    /// - Parameters:
    ///   - place: The number of the record in the source.
    ///   - received: The bytes of the record.
    ///   - first, second: The two parts of the statement, which ends with a line feed.
    ///   - name: The length of the source's name in the statement in bytes, if the statement names the source
    ///     and not the record.
    package mutating func add(
        place: Int, _ received: ReceivedBytes, _ first: Span<UInt8>, _ second: Span<UInt8>,
        withoutName name: Int? = nil
    ) {
        head.removeLast(head.count - start)
        append(place)
        head += AuditLeaf.receivedName.utf8
        switch received {
        case .nothing: head += "nothing".utf8
        case .base64: head += "base64".utf8
        case .digest(let digest): for byte in digest { head.append(hexadecimal: byte) }
        }
        head.append(0x0A)
        if name != nil { head += AuditLeaf.name }
        // The statement of a record that is not genuine is only in the second part.
        let end = name.map { AuditLeaf.name.count + $0 } ?? 0
        let (one, other) = (min(end, first.count), min(max(0, end - first.count), second.count))
        leaves += head
        unsafe first.extracting(one...).withUnsafeBufferPointer { unsafe leaves.append(contentsOf: $0) }
        unsafe second.extracting(other...).withUnsafeBufferPointer { unsafe leaves.append(contentsOf: $0) }
        ends.append(leaves.count)
        if leaves.count > Self.mostBytes { hashRest() }
    }

    private mutating func hashRest() {
        if let rest = try? tree.leaves(marked: zip([0] + ends, ends).map({ leaves[$0..<$1] })) {
            hashed?.append(contentsOf: rest)
        } else {
            hashed = nil
        }
        ends = []
        leaves.removeAll(keepingCapacity: leaves.capacity <= 2 * Self.mostBytes)
    }

    /// Returns the hash of one record's leaf. No leaves may have been added.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package mutating func hash(
        place: Int, _ received: ReceivedBytes, _ first: Span<UInt8>, _ second: Span<UInt8>,
        withoutName name: Int? = nil
    ) throws(ReceiptError) -> SHA256Digest {
        add(place: place, received, first, second, withoutName: name)
        guard let hash = try hashes().first else { throw .cryptographyUnavailable }
        return hash
    }

    /// Removes the leaves after the first ones that were added.
    package mutating func keep(_ count: Int) {
        let before = hashed?.count ?? 0
        hashed?.removeLast(max(0, before - count))
        ends.removeLast(max(0, ends.count - max(0, count - before)))
        leaves.removeLast(leaves.count - (ends.last ?? 0))
    }

    /// Returns the hashes of the added leaves, and removes the leaves.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package mutating func hashes() throws(ReceiptError) -> [SHA256Digest] {
        hashRest()
        defer { hashed = [] }
        guard let hashes = hashed else { throw .cryptographyUnavailable }
        return hashes
    }

    /// Appends the decimal digits. Making a string would take a fifth of a leaf's total time.
    private mutating func append(_ place: Int) {
        head.append(addingCapacity: decimalCapacity) { room in
            unsafe room.withUnsafeMutableBufferPointer { buffer, filled in
                filled = unsafe buffer.baseAddress?.storeDigits(of: UInt64(place.magnitude)) ?? 0
            }
        }
    }
}
