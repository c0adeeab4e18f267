/// A table whose rows are cells. Its columns are those that the code of its rows names.
struct RowTable: Sendable {
    let name: String
    private let primaryKey: String?
    /// The columns in the order of the schema.
    let columns: [RowColumn]
    /// The names of the columns in the order of an INSERT: the keys, then the cells.
    let keys: [String]
    let cells: [String]

    /// Creates a table.
    /// - Parameters:
    ///   - primaryKey: The columns of the primary key, or nil if one column is.
    ///   - add: The code that adds the cells of a row.
    private init(_ name: String, primaryKey: String? = nil, _ add: (inout RowCells) -> Void) {
        (self.name, self.primaryKey) = (name, primaryKey)
        let columns = RowCells.columns(add)
        keys = columns.filter(\.isKey).map(\.name)
        cells = columns.filter { !$0.isKey }.map(\.name)
        self.columns = columns.filter { $0.predecessor == nil }.flatMap { column in
            [column] + columns.filter { $0.predecessor == column.name }
        }
    }

    /// The number of cells in a row.
    var width: Int { cells.count }

    var insertion: [String] { keys + cells }

    /// Returns the index of a column among the cells of a row.
    func cell(_ column: String) -> Int { cells.firstIndex(of: column) ?? 0 }

    /// The statement that creates the table.
    var sql: String {
        let ending = primaryKey.map { "    PRIMARY KEY (\($0))\n) WITHOUT ROWID;" } ?? ");"
        let lines = columns.indices.flatMap { index in
            columns[index].lines(isLast: primaryKey == nil && index == columns.count - 1)
        }
        return (["CREATE TABLE \(name) ("] + lines + [ending]).joined(separator: "\n")
    }

    /// The tables of the schema. Rows of ``transactions`` have fewer columns than their table.
    static let all = [
        certificates, receipts, signedTransactions, renewals, appTransactions, notifications,
        realtimeRequests, verdicts, customers, subjectVerdicts,
    ]

    static let certificates = RowTable("certificates") { $0.add(certificate: nil) }
    static let receipts = RowTable("receipts") { $0.add(recordOf: nil, from: nil, nil) }
    static let transactions = RowTable("transactions") { $0.add(purchase: nil, at: nil, of: [], nil) }
    static let signedTransactions = RowTable("transactions", primaryKey: "receipt_id, position") {
        $0.add(purchase: nil, at: nil, of: [], nil)
        $0.add(signed: nil, nil, ownership: nil)
    }
    static let renewals = RowTable("renewals") { $0.add(renewal: nil) }
    static let appTransactions = RowTable("app_transactions") { $0.add(appTransaction: nil) }
    static let notifications = RowTable("notifications") { $0.add(notification: nil) }
    static let realtimeRequests = RowTable("realtime_requests") { $0.add(realtimeRequest: nil) }
    static let verdicts = RowTable("verdicts", primaryKey: "receipt_id, product_id") {
        $0.key("receipt_id", "NOT NULL REFERENCES receipts (id)")
        $0.add(verdict: nil)
    }
    static let customers = RowTable("customers") { $0.add(customer: nil, purchases: nil) }
    static let subjectVerdicts = RowTable("subject_verdicts", primaryKey: "customer_id, product_id") {
        $0.add(verdict: nil, receipts: [])
    }
}
