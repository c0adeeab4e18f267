import AppReceipt
import ReceiptJSON
import StrictJSON
import Testing

@testable import ReceiptEvidence
@testable import ReceiptExamination

/// A record's leaf and its path to the root. A change to either leads to another root.
struct InclusionProofTests {
    let tree: MerkleTree
    let statement = Array(#"{"id":"a","sha256":"00","status":"genuine","realm":"app_store"}"#.utf8)

    init() throws { tree = MerkleTree(try ReceiptVerifier()) }

    /// printf %s '!!!c' | sha256sum
    private static let digest = "7f6d2dc7843b9462654368058b50fd0c8730672e84078a7c06e167805b434c1d"

    private func leaf(place: UInt64, _ received: ReceivedBytes = .base64) -> AuditLeaf {
        AuditLeaf(source: 3, place: place, received: received, statement: statement)
    }

    /// Returns a proof for the sixth of eleven records of one source.
    private func proof() throws -> (InclusionProof, root: SHA256Digest) {
        var hasher = LeafHasher(tree, source: 3)
        var frontier = MerkleFrontier()
        var hashes: [SHA256Digest] = []
        for place in 1...11 {
            let line = Array(statement + [0x0A])
            let hash = try hasher.hash(
                place: place, .base64, line.span.extracting(0..<20), line.span.extracting(20..<line.count))
            hashes.append(hash)
            try frontier.append(hash, of: tree)
        }
        let proof = try InclusionProof(leaf(place: 6), at: 5, of: 11) { range in
            var frontier = MerkleFrontier()
            for number in range { try frontier.append(hashes[Int(number)], of: tree) }
            return try frontier.root(of: tree)
        }
        return (proof, try frontier.root(of: tree))
    }

    /// Checks places of one digit, around powers of ten, without palindromes, and the largest.
    @Test(arguments: [1, 9, 10, 12, 99, 100, 987_654_321, Int.max])
    func leafHashEqualsThatOfItsText(place: Int) throws {
        var hasher = LeafHasher(tree, source: 3)
        let digest = try #require(SHA256Digest(hexadecimal: Self.digest.utf8)).bytes
        for received in [ReceivedBytes.base64, .nothing, .digest(digest)] {
            let leaf = leaf(place: UInt64(place), received)
            // Hashing another record first must not affect this one.
            for number in [12_345, place] {
                let hashed = try hasher.hash(place: number, received, statement.span, [0x0A].span)
                if number == place { #expect(try hashed == tree.leaf(leaf.bytes.span)) }
            }
        }
    }

    /// Checks that the leaf omits the source's name where the record is the whole source, whatever characters
    /// the name has.
    @Test(arguments: ["a.der", "../é \\\"/b.der", "-", ""]) func sourceNameIsOmitted(name: String) throws {
        for place in ["", "#data.signedTransactionInfo"] {
            let line = Array(
                "{\"source\":\(String(decoding: JSONWriter.text { $0.string(name + place) }, as: UTF8.self)),\"sha256\":null}"
                    .utf8)
            let leaf = AuditLeaf(
                source: 1, place: 1, received: .nothing,
                statement: Array("{\"source\":\"\(place)\",\"sha256\":null}".utf8))
            #expect(AuditLeaf.statement(line, withoutName: name) == leaf.statement)
            #expect(!leaf.isNamed)
            #expect(AuditLeaf(parsing: leaf.bytes) == leaf)
            var hasher = LeafHasher(tree, source: 1)
            let hashed = try hasher.hash(
                place: 1, .nothing, line.span, [0x0A].span, withoutName: AuditLeaf.nameLength(name))
            #expect(try hashed == tree.leaf(leaf.bytes.span))
            let refused = try hasher.hash(
                place: 1, .nothing, Span(), Array(line + [0x0A]).span, withoutName: AuditLeaf.nameLength(name)
            )
            #expect(refused == hashed)
        }
    }

    @Test func aLeafIsText() throws {
        let digest = try #require(SHA256Digest(hexadecimal: Self.digest.utf8)).bytes
        for (received, text) in [
            (ReceivedBytes.base64, "base64"), (.nothing, "nothing"), (.digest(digest), Self.digest),
        ] {
            let leaf = leaf(place: 17, received)
            #expect(
                String(decoding: leaf.bytes, as: UTF8.self) == """
                    appreceipt record 2
                    source 3
                    place 17
                    received \(text)
                    {"id":"a","sha256":"00","status":"genuine","realm":"app_store"}

                    """)
            #expect(AuditLeaf(parsing: leaf.bytes) == leaf)
            #expect(leaf.isNamed)
        }
    }

    /// Checks that a leaf in any other spelling is refused.
    @Test(arguments: [
        ("record 2", "record 1"), ("place 17", "place 017"), ("place 17", "place +17"), ("place 17", "place"),
        ("\nplace 17", ""), ("source 3", "source 03"), ("source 3", "source -3"), ("source 3", "source  "),
        ("received base64", "received base"), ("received base64", "received"),
        ("received base64", "received 00"),
        ("\nreceived base64", ""), ("place 17", "place 17 "),
        ("}\n", "}"), ("}\n", "}\n\n"), ("}\n", "}\n{}\n"),
        ("place 17", "place 99999999999999999999"),
    ])
    func onlyExactLeavesAreParsed(old: String, new: String) throws {
        let leaf = leaf(place: 17)
        let text = String(decoding: leaf.bytes, as: UTF8.self)
        let range = try #require(text.ranges(of: old).first)
        #expect(AuditLeaf(parsing: Array(text.replacingCharacters(range, with: new).utf8)) == nil)
    }

    @Test func aProofLeadsToTheRoot() throws {
        let (proof, root) = try proof()
        #expect(try proof.root(of: tree) == root)
        let files = try proof.files(tree)
        #expect(files.map(\.path) == InclusionProof.names)
        #expect(files[1].bytes.count == 4 * 32)
        #expect(String(decoding: files[2].bytes, as: UTF8.self) == "5 11\n")
        #expect(String(decoding: files[3].bytes, as: UTF8.self) == root.text + "\n")
        #expect(try InclusionProof(files, tree) == proof)
    }

    /// Checks that other indexes and sizes do not lead to the root, and that impossible ones have no root.
    @Test(arguments: [
        (0 as UInt64, 11 as UInt64), (4, 11), (6, 11), (10, 11), (5, 10), (5, 12), (5, 6), (5, 5), (11, 11),
        (5, 0),
        (5, .max), (.max, .max), (.max - 1, .max),
    ])
    func otherPlacesLeadToOtherRoots(index: UInt64, size: UInt64) throws {
        let (proof, root) = try proof()
        let other = InclusionProof(leaf: proof.leaf, index: index, treeSize: size, path: proof.path)
        // For sizes of 9 to 16, the path of the leaf at index 5 has the same shape. The path alone does
        // not prove the size.
        let isSameWay = size > 8 && size <= 16 && index == 5
        #expect(try (other.root(of: tree) == root) == isSameWay, "\(index) of \(size)")
    }

    /// Checks that a change to any byte of any file is detected.
    @Test func everyByteCounts() throws {
        let (proof, root) = try proof()
        let files = try proof.files(tree)
        for (number, file) in files.enumerated() {
            for index in file.bytes.indices {
                // The paths of 5 of 10 and of 5 of 11 have the same shape. The published root states the
                // number of records.
                if file.path == "inclusion/place", index == 3 { continue }
                var changed = files
                var bytes = file.bytes
                bytes[index] ^= 1
                changed[number] = EvidenceFile(file.path, bytes)
                let read = try InclusionProof(changed, tree)
                #expect(try read.map { try $0.root(of: tree) == root } != true, "\(file.path), byte \(index)")
            }
            var without = files
            without.remove(at: number)
            #expect(try InclusionProof(without, tree) == nil)
        }
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
