import AppReceipt
import ReceiptExamination
import RecordSources
import SQLite

/// The use of the run's revocation lists, as the rows of `revocation_lists` record it. A resumed run continues
/// with what the interrupted one found.
struct RevocationListUse {
    private let lists: [RevocationFacts.List]
    private let verifier: ReceiptVerifier
    /// The reason why no result rests on a list, or nil if one does, by list.
    private var faults: [String?]

    /// Inserts the rows of a new run.
    static func insert(_ lists: [RevocationFacts.List], into database: Connection) throws {
        for list in lists {
            try database.prepare(
                """
                INSERT INTO revocation_lists (sha256, issuer, issued_at, next_update, entries, unused_because)
                VALUES (?, ?, ?, ?, ?, ?)
                """, list.sha256, list.issuer, list.issuedAt.millisecondsSince1970,
                list.nextUpdate?.millisecondsSince1970, list.count, RevocationListFault.issuer.description
            ).execute()
        }
    }

    /// Reads the rows of the run, or returns nil if it has no lists.
    init?(
        _ lists: [RevocationFacts.List], _ verifier: ReceiptVerifier, in database: AuditDatabase
    ) throws(AuditError) {
        guard !lists.isEmpty else { return nil }
        (self.lists, self.verifier) = (lists, verifier)
        let path = database.path
        let known = RevocationListFault.ofChains.map(\.description)
        faults = try database.access { database in
            let statement = try database.prepare(
                "SELECT unused_because FROM revocation_lists WHERE sha256 = ?")
            return try lists.map { list -> String? in
                guard let row = try statement.bind(list.sha256).firstRow() else {
                    throw AuditError("\(path): revocation_lists: missing row of \(list.sha256)")
                }
                guard let text = try row["unused_because"] as String? else { return nil }
                // Another text is not one that a run writes.
                return known.contains(text) ? text : list.fault(of: verifier)?.description ?? known[0]
            }
        }
    }

    /// Updates the rows.
    mutating func write(to database: Connection) throws {
        let order = RevocationListFault.ofChains.map(\.description)
        for (index, list) in lists.enumerated() {
            guard let before = faults[index] else { continue }
            let now = list.fault(of: verifier)?.description
            // Faults of the list itself are not among those of chains, and stay.
            if let now, let last = order.firstIndex(of: before), let next = order.firstIndex(of: now),
                next < last
            {
                continue
            }
            guard now != before else { continue }
            faults[index] = now
            try database.prepare(
                "UPDATE revocation_lists SET unused_because = ? WHERE sha256 = ?", now, list.sha256
            ).execute()
        }
    }

    var isUnusable: Bool { RevocationListFault.areUnusable(faults) }

    /// The lists on which no result rests, one line each.
    var unused: [String] {
        zip(lists, faults).compactMap { list, fault in fault.map { "\(list.name): not used: \($0)" } }
    }
}
