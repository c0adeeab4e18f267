import SQLite

/// The verdicts that change if a run is repeated with other revocation lists or another policy, and what else
/// follows from these lists.
///
/// The status and the refusal of a record may change. Its source, place, subject and bytes are compared, and
/// everything else of records whose verdict stays.
final class VerdictChanges {
    private let report: (String) -> Void
    /// The records whose verdict changes.
    private(set) var records: Set<Int64> = []
    /// The numbers of genuine records whose revocation status changes from "not checked", by the new status.
    private var newlyChecked: [String: Int] = [:]
    /// The numbers of changed records by the old and the new verdict.
    private var kinds: [String: Int] = [:]
    /// The certificates of changed records, which other records need not have.
    private var certificates: Set<Value> = []
    /// The numbers of differing rows of tables that depend on several records.
    private var dependents: [String: Int] = [:]

    /// - Parameter report: The closure that receives each change as one line.
    init(report: @escaping (String) -> Void) { self.report = report }

    /// The maximum number of reported records.
    private static let limit = 1000
    /// The maximum number of counted kinds. An untrusted database may have any number.
    private static let mostKinds = 100

    /// Tables that have rows for a record, by the key `receipt_id`.
    private static let ofRecords: Set = [
        "transactions", "renewals", "notifications", "realtime_requests", "app_transactions", "verdicts",
    ]
    /// Tables whose rows depend on several records.
    private static let ofSeveral: Set = [
        "customers", "customer_receipts", "subject_verdicts", "findings", "finding_evidence", "incidents",
        "incident_findings", "not_looked_for", "runs",
    ]
    /// Columns of `receipts` that no list changes.
    private static let identity: Set = [
        "source", "place", "record", "path", "subject", "sha256", "received", "wrapping", "kept",
    ]

    /// The tables in the order of the comparison. Those that depend on the records come after them.
    static let tables =
        AuditSchema.tableNames.filter { !["revocation_lists", "certificates", "runs"].contains($0) }
        + ["certificates", "runs"]

    /// Columns that follow from the lists.
    static func ignored(of table: String) -> Set<String> {
        switch table {
        case "runs": ["root", "tree"]
        case "certificates": ["id"]
        default: []
        }
    }

    /// Returns the keys of a table, or nil for its primary key. Without a changed record's certificates, others have
    /// other numbers.
    static func key(of table: String) -> [String]? { table == "certificates" ? ["sha256"] : nil }

    /// Returns the SQL for a column.
    static func expression(_ column: String, of table: String) -> String {
        let isKey = table == "receipts" && ["signer_id", "intermediate_id", "anchor_id"].contains(column)
        return isKey ? "(SELECT c.sha256 FROM certificates c WHERE c.id = receipts.\(column))" : column
    }

    /// Returns the SQL that selects the rows to compare.
    static func condition(of table: String) -> String {
        // The check for revocation is the last one that may be skipped, so the other numbers do not change.
        table == "not_looked_for" ? "WHERE title NOT LIKE '\(SkippedChecks.revocation)%'" : ""
    }

    /// Compares two rows of `receipts`.
    /// - Returns: The columns to compare.
    func compare(_ id: Value, _ columns: [String], _ was: [Value], _ now: [Value]) -> Set<String> {
        let index = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
        func value(_ column: String, _ row: [Value]) -> Value { index[column].map { row[$0] } ?? .null }
        func verdict(_ row: [Value]) -> [Value] { ["status", "refusal_code"].map { value($0, row) } }
        let isGenuine = value("status", was).text == "genuine"
        let (old, new) = (value("revocation", was), value("revocation", now))
        let isNew = old.text == "not_checked" && ["good", "no_information"].contains(new.text)
        guard verdict(was) == verdict(now), old == new || isNew else {
            if case .integer(let id) = id { records.insert(id) }
            for column in ["signer_id", "intermediate_id", "anchor_id"] {
                certificates.formUnion([value(column, was), value(column, now)])
            }
            let change = "was \(Self.text(verdict(was), old)), is \(Self.text(verdict(now), new))"
            if kinds[change] != nil || kinds.count < Self.mostKinds { kinds[change, default: 0] += 1 }
            if records.count <= Self.limit {
                let name = value("record", now) == .null ? value("source", now) : value("record", now)
                let reason = value("refusal_message", now)
                report(
                    "record \(id) (\(name)): \(change)" + (reason == .null ? "" : ": \(reason.text)"))
            }
            return Self.identity
        }
        if isNew { newlyChecked[new.text, default: 0] += 1 }
        var compared = Set(columns).subtracting(["revocation"])
        // The leaf covers the dates of the lists, and the message of a refusal names them.
        if isGenuine { compared.remove("leaf") }
        if ["revoked", "revocation_unknown"].contains(value("refusal_code", was).text) {
            compared.subtract(["leaf", "refusal_message"])
        }
        return compared
    }

    /// Returns whether a difference of another table follows from the changed records, or is only counted.
    func explains(_ table: String, _ key: Value) -> Bool {
        guard !records.isEmpty else { return false }
        if Self.ofSeveral.contains(table) {
            dependents[table, default: 0] += 1
            return true
        }
        if table == "certificates" { return certificates.contains(key) }
        guard Self.ofRecords.contains(table), case .integer(let id) = key else { return false }
        return records.contains(id)
    }

    /// Reports the numbers at the end.
    func finish() {
        for (status, count) in newlyChecked.sorted(by: { $0.key < $1.key }) {
            report("\(ReportText.count(count, "genuine record")): revocation was not_checked, is \(status)")
        }
        for (change, count) in kinds.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }) {
            report("\(ReportText.count(count, "record")): \(change)")
        }
        for (table, count) in dependents.sorted(by: { $0.key < $1.key }) {
            report("\(table): \(ReportText.count(count, "difference")) with these verdicts")
        }
        if records.count > Self.limit { report("\(records.count - Self.limit) more records") }
        report("\(ReportText.count(records.count, "verdict")) changed")
    }

    private static func text(_ verdict: [Value], _ revocation: Value) -> String {
        let details = [verdict[1], revocation].filter { $0 != .null }.map(\.text)
        return verdict[0].text + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}
