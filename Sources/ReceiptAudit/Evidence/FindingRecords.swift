import GRDB

/// A finding and the records that it rests on: the first of them, and how many there are.
struct FindingRecords {
    let id: String
    let kind: String
    let severity: String
    let summary: String
    /// Numbers, as many as evidence is written of.
    private(set) var first: [Int64] = []
    private(set) var count = 0

    /// Records of one finding whose evidence is written: who shares a purchase with one other shows it as well as with
    /// thousands.
    static let mostRecords = 5

    /// Gives each finding, the worst first.
    static func forEach(_ database: Database, _ body: (FindingRecords) throws -> Void) throws {
        for severity in ["alert", "warning", "note"] {
            let statement = try database.makeStatement(
                sql: """
                    SELECT f.id, f.kind, f.summary, e.receipt_id FROM findings f
                    LEFT JOIN finding_evidence e ON e.finding_id = f.id WHERE f.severity = ? ORDER BY f.id, e.number
                    """)
            statement.arguments = [severity]
            defer { StoredValue.reset(statement) }
            var finding: FindingRecords?
            var last: Int64?
            while let row = try StoredValue.next(statement) {
                if finding?.id != row[0].whole {
                    if let finding { try body(finding) }
                    finding = FindingRecords(
                        id: row[0].whole, kind: row[1].whole, severity: severity, summary: row[2].whole)
                    last = nil
                }
                // Several purchases of a record stand one behind the other.
                guard case .integer(let number) = row[3], number != last else { continue }
                last = number
                finding?.count += 1
                if finding?.count ?? 0 <= mostRecords { finding?.first.append(number) }
            }
            if let finding { try body(finding) }
        }
    }
}

extension StoredValue {
    /// All of a text; nothing of anything else.
    fileprivate var whole: String {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}

extension AuditDatabase {
    /// The records whose evidence is written with a run's findings, worst findings first, and in how many of all places
    /// where a finding names a record there is none.
    func recordsOfFindings(atMost limit: Int) throws(AuditError) -> [StoredRecord] {
        let path = path
        return try access { database in
            var numbers: Set<Int64> = []
            try FindingRecords.forEach(database) { finding in
                for number in finding.first where numbers.count < limit { numbers.insert(number) }
            }
            let statement = try database.makeStatement(
                sql: "SELECT \(StoredRecord.columns) FROM receipts WHERE id = ?")
            return try numbers.sorted().map { number in
                guard let row = try StoredValue.rows(statement, key: number).first,
                    let record = StoredRecord(row)
                else { throw AuditError("\(path): receipts \(number): invalid row") }
                return record
            }
        }
    }
}
