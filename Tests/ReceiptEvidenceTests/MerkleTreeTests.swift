import AppReceipt
import ReceiptExamination
import ReceiptJSON
import Testing

@testable import ReceiptEvidence

/// RFC 6962, section 2.1, against the vectors of its reference implementation and against a literal
/// implementation.
struct MerkleTreeTests {
    let verifier: ReceiptVerifier
    let tree: MerkleTree

    init() throws {
        verifier = try ReceiptVerifier()
        tree = MerkleTree(verifier)
    }

    /// The leaves of google/certificate-transparency's tests, and the roots of the first 0, 1, 2, … of them.
    static let leaves: [[UInt8]] = [
        [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], [0x40, 0x41, 0x42, 0x43], Array(0x50...0x57),
        Array(0x60...0x6F),
    ]
    static let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    private func hashes(_ leaves: some Sequence<[UInt8]>) throws -> [SHA256Digest] {
        try leaves.map { try tree.leaf($0.span) }
    }

    @Test(arguments: roots.indices) func knownRoots(count: Int) throws {
        var frontier = MerkleFrontier()
        for hash in try hashes(Self.leaves.prefix(count)) { try frontier.append(hash, of: tree) }
        #expect(try frontier.root(of: tree).text == Self.roots[count])
    }

    /// Checks paths of the reference implementation: index, size, hashes from the leaf up.
    @Test(arguments: [
        (0, 1, []),
        (
            0, 8,
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ]
        ),
        (
            5, 8,
            [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ]
        ),
        (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
        (
            1, 5,
            [
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ]
        ),
    ])
    func knownPaths(index: Int, size: Int, path: [String]) throws {
        let hashes = try hashes(Self.leaves)
        let proof = try proof(of: index, size, hashes)
        #expect(proof.path.map(\.text) == path)
    }

    /// Returns the root by the RFC's definition of MTH(D[n]). `naivePath` follows PATH(m, D[n]).
    private func naiveRoot(_ hashes: ArraySlice<SHA256Digest>) throws -> SHA256Digest {
        guard hashes.count > 1 else { return try hashes.first ?? tree.empty() }
        let half = hashes.startIndex + Self.half(of: hashes.count)
        return try tree.node(naiveRoot(hashes[..<half]), naiveRoot(hashes[half...]))
    }

    private func naivePath(_ index: Int, _ hashes: ArraySlice<SHA256Digest>) throws -> [SHA256Digest] {
        guard hashes.count > 1 else { return [] }
        let half = hashes.startIndex + Self.half(of: hashes.count)
        return index < half
            ? try naivePath(index, hashes[..<half]) + [naiveRoot(hashes[half...])]
            : try naivePath(index, hashes[half...]) + [naiveRoot(hashes[..<half])]
    }

    private static func half(of count: Int) -> Int {
        var half = 1
        while 2 * half < count { half *= 2 }
        return half
    }

    private func proof(of index: Int, _ size: Int, _ hashes: [SHA256Digest]) throws -> InclusionProof {
        let leaf = AuditLeaf(source: 1, place: 1, received: .nothing, statement: [])
        var asked: [Int] = []
        let proof = try InclusionProof(leaf, at: UInt64(index), of: UInt64(size)) { range in
            var frontier = MerkleFrontier()
            for number in range {
                asked.append(Int(number))
                try frontier.append(hashes[Int(number)], of: tree)
            }
            return try frontier.root(of: tree)
        }
        // The proof asks for each other leaf once, in a single pass over the stored hashes.
        #expect(asked.sorted() == (0..<size).filter { $0 != index })
        return proof
    }

    /// Checks every size up to 200: the root, the encoded frontier, and the path of a leaf.
    @Test func everySizeAgreesWithTheRFC() throws {
        var random = Seeded(state: 6962)
        var frontier = MerkleFrontier()
        var hashes: [SHA256Digest] = []
        for count in 0...200 {
            let root = try naiveRoot(hashes[...])
            #expect(try frontier.root(of: tree) == root)
            let bytes = frontier.bytes
            #expect(bytes.count == count.nonzeroBitCount * 32)
            #expect(MerkleFrontier(count: UInt64(count), bytes: bytes) == frontier)
            #expect(MerkleFrontier(count: UInt64(count), bytes: bytes + [0]) == nil)
            #expect(MerkleFrontier(count: UInt64(2 * count + 1), bytes: bytes) == nil)
            for index in Set([0, count / 3, count / 2, count - 1]) where (0..<count).contains(index) {
                let proof = try proof(of: index, count, hashes)
                #expect(proof.path == (try naivePath(index, hashes[...])), "\(index) of \(count)")
            }
            let hash = try tree.leaf(Array("\(random.next())".utf8).span)
            hashes.append(hash)
            try frontier.append(hash, of: tree)
        }
    }
}

/// A SplitMix64 generator, which returns the same numbers in every run.
private struct Seeded {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
