import RecordSources
import SQLite

/// A finding and its records: the first of them, and their number.
struct FindingRecords {
    let id: String
    let kind: String
    let severity: String
    let summary: String
    /// The numbers of the records whose evidence is written.
    private(set) var first: [Int64] = []
    private(set) var count = 0

    /// The maximum number of records per finding whose evidence is written. A few records prove a shared
    /// purchase as well as thousands would.
    static let mostRecords = 5

    /// Calls `body` with each finding, worst first.
    static func forEach(_ database: Connection, _ body: (FindingRecords) throws -> Void) throws {
        for severity in ["alert", "warning", "note"] {
            let statement = try database.prepare(
                """
                SELECT f.id, f.kind, f.summary, e.receipt_id FROM findings f
                LEFT JOIN finding_evidence e ON e.finding_id = f.id WHERE f.severity = ? ORDER BY f.id, e.number
                """, severity)
            var finding: FindingRecords?
            var last: Int64?
            try statement.forEach { row in
                let id: String = try row["id"]
                if finding?.id != id {
                    if let finding { try body(finding) }
                    finding = FindingRecords(
                        id: id, kind: try row["kind"], severity: severity, summary: try row["summary"])
                    last = nil
                }
                // Several purchases of the same record are consecutive.
                guard let number = try row["receipt_id"] as Int64?, number != last else { return }
                last = number
                finding?.count += 1
                if finding?.count ?? 0 <= mostRecords { finding?.first.append(number) }
            }
            if let finding { try body(finding) }
        }
    }
}

extension AuditDatabase {
    /// Returns the records whose evidence is written with a run's findings, of the worst findings first,
    /// ordered by number.
    func recordsOfFindings(atMost limit: Int) throws(AuditError) -> [StoredRecord] {
        let path = path
        return try access { database in
            var numbers: Set<Int64> = []
            try FindingRecords.forEach(database) { finding in
                for number in finding.first where numbers.count < limit { numbers.insert(number) }
            }
            let statement = try database.prepare("SELECT \(StoredRecord.columns) FROM receipts WHERE id = ?")
            return try numbers.sorted().map { number in
                guard let row = try statement.bind(number).firstRow()?.values,
                    let record = StoredRecord(row)
                else { throw AuditError("\(path): receipts \(number): invalid row") }
                return record
            }
        }
    }
}
