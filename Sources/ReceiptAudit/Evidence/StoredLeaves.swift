import AppReceipt
import ReceiptEvidence
import RecordSources
import SQLite

/// The roots of ranges of a run's leaves, each computed once.
final class StoredLeaves {
    private let database: AuditDatabase
    private let tree: MerkleTree
    private var roots: [Range<UInt64>: SHA256Digest] = [:]
    private let hasForgotten: Bool

    private static let leaves = "(SELECT id, leaf FROM receipts UNION ALL SELECT id, leaf FROM forgotten)"

    init(_ database: AuditDatabase, _ tree: MerkleTree) throws(AuditError) {
        (self.database, self.tree) = (database, tree)
        hasForgotten = try database.hasForgottenTable()
    }

    /// Returns the root of a range of leaves.
    /// - Throws: ``AuditError``, also if a leaf is missing.
    func root(of range: Range<UInt64>) throws(AuditError) -> SHA256Digest {
        if let root = roots[range] { return root }
        let tree = tree
        let path = database.path
        let rows =
            "SELECT id, leaf FROM \(hasForgotten ? Self.leaves : "receipts") WHERE id > ? AND id <= ? ORDER BY id"
        let root = try database.access { database in
            let statement = try database.cachedStatement(rows)
            try statement.bind(Int64(range.lowerBound), Int64(range.upperBound))
            defer { statement.reset() }
            var leaves = MerkleFrontier()
            while let row = try statement.nextRow() {
                let number = Int64(range.lowerBound + leaves.count + 1)
                guard row[0] == .integer(number), case .blob(let bytes) = row[1],
                    let leaf = SHA256Digest(bytes)
                else { throw AuditError("\(path): receipts \(number): missing row or leaf") }
                try leaves.append(leaf, of: tree)
            }
            guard leaves.count == range.upperBound - range.lowerBound else {
                throw AuditError("\(path): receipts: missing rows")
            }
            return try leaves.root(of: tree)
        }
        roots[range] = root
        return root
    }
}
