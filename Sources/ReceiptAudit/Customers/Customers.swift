import AppReceipt
import GRDB
import OfferEligibility

/// Judges customers, of whom one may have presented many receipts: the rows of `customers`, `customer_receipts` and
/// `subject_verdicts`. One customer at a time is in memory.
struct Customers {
    private let question: EligibilityQuestion
    private let database: Database
    private let customer: Insertion
    private let receipt: Insertion
    private let verdict: Insertion
    private var count: Int64 = 0

    static let verdictColumns =
        ["customer_id"] + ReceiptRows.verdictColumns.dropFirst() + ["receipts"]
    private static let customerSQL = Insertion.SQL(
        "customers",
        [
            "id", "newest_receipt_id", "subject", "environment", "bundle_id", "receipts", "purchases",
            "evidence_date", "unjudged",
        ])
    private static let receiptSQL = Insertion.SQL("customer_receipts", ["customer_id", "receipt_id"])
    private static let verdictSQL = Insertion.SQL("subject_verdicts", verdictColumns)

    static func insert(_ question: EligibilityQuestion, into database: Database) throws {
        var customers = try Customers(question, database)
        try customers.insertAll(
            of: "r.subject, NULL", from: "receipts r",
            where: "r.status = 'genuine' AND r.subject IS NOT NULL",
            orderedBy: "r.subject, r.environment, r.bundle_id")
        _ = try JoinedReceipts(database)
        try customers.insertAll(
            of: "NULL, j.first", from: "temp.joined j JOIN receipts r ON r.id = j.receipt_id", where: "1",
            orderedBy: "j.first")
        try database.execute(sql: "DROP TABLE temp.joined")
    }

    private init(_ question: EligibilityQuestion, _ database: Database) throws {
        (self.question, self.database) = (question, database)
        customer = try Insertion(Self.customerSQL, database)
        receipt = try Insertion(Self.receiptSQL, database)
        verdict = try Insertion(Self.verdictSQL, database)
    }

    /// - Parameter order: brings the receipts of a customer together; of each the newest receipt comes first.
    private mutating func insertAll(
        of key: String, from source: String, where condition: String, orderedBy order: String
    ) throws {
        let receipts = try database.makeStatement(
            sql: """
                SELECT \(key), r.environment, r.bundle_id, r.id, r.created_at, r.realm FROM \(source)
                WHERE \(condition) ORDER BY \(order), r.created_at DESC, r.id
                """)
        let purchases = try database.makeStatement(
            sql: """
                SELECT \(KeptPurchase.columns.joined(separator: ", ")) FROM transactions
                WHERE receipt_id = ? ORDER BY position
                """)
        defer { StoredValue.reset(receipts) }
        let row = StatementRow(receipts)
        var customer: Customer?
        while try row.step() {
            let key = Customer.Key(
                subject: row.bytes(0), first: row.isNull(1) ? nil : row.integer(1), environment: row.bytes(2),
                bundleID: row.bytes(3))
            let id = row.integer(4)
            if customer?.key != key || key.environment == nil {
                if let customer { try insert(customer) }
                customer = Customer(key, realm: row.text(6))
                count += 1
            }
            customer?.take(receipt: id, createdAt: row.isNull(5) ? nil : row.integer(5))
            var cells = RowCells()
            cells.add(Int(id))
            try receipt.insert(count, cells: cells, 0..<1, database)
            try read(purchases, of: id, into: &customer, createdAt: row.integer(5))
        }
        if let customer { try insert(customer) }
    }

    private func read(
        _ purchases: Statement, of receipt: Int64, into customer: inout Customer?, createdAt: Int64
    ) throws {
        let row = StatementRow(purchases)
        row.bind(receipt)
        defer { StoredValue.reset(purchases) }
        while try row.step() { customer?.take(KeptPurchase(row, from: 0), of: createdAt) }
    }

    private func insert(_ customer: Customer) throws {
        var cells = RowCells()
        cells.add(stored: customer.key.subject)
        cells.add(stored: customer.key.environment)
        cells.add(stored: customer.key.bundleID)
        cells.add(customer.receipts)
        cells.add(customer.count)
        cells.add(customer.evidenceDate.map { Int($0) })
        cells.add(customer.isTooLong ? "more than \(Customer.limit) purchases" : nil)
        try self.customer.insert(count, customer.newestReceipt, cells: cells, cells.cells.indices, database)
        guard !customer.isTooLong else { return }
        let groups = Set(customer.toldDifferently.compactMap { question.rules.catalog.product($0)?.group })
        for verdict in customer.verdicts(question) {
            let isToldDifferently = verdict.subscriptionGroup.map(groups.contains) == true
            var cells = RowCells()
            cells.add(verdict, caveats: isToldDifferently ? ["told-differently"] : [])
            cells.add(customer.receipts(of: verdict).map { "\($0)" }.joined(separator: ","))
            try self.verdict.insert(count, cells: cells, cells.cells.indices, database)
        }
    }
}
