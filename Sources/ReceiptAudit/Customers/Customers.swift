import AppReceipt
import GRDB
import OfferEligibility

/// Judges customers, of whom one may have presented many receipts and other evidence: the rows of `customers`, `customer_receipts` and
/// `subject_verdicts`. One customer at a time is in memory.
struct Customers {
    private let question: EligibilityQuestion
    private let database: Database
    private let customer: Insertion
    private let receipt: Insertion
    private let verdict: Insertion
    private var count: Int64 = 0

    static let verdictColumns =
        ["customer_id"] + ReceiptRows.verdictColumns.dropFirst()
        + ["promotional_caveats", "win_back_caveats", "receipts"]
    static let tellingOfNone = "nothing tells of purchases"
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
            where: "r.status = 'genuine' AND r.subject IS NOT NULL AND r.bundle_id IS NOT NULL",
            orderedBy: "r.subject, r.environment, r.bundle_id, r.realm")
        _ = try JoinedReceipts(database)
        try customers.insertAll(
            of: "NULL, j.first", from: "temp.joined j JOIN receipts r ON r.id = j.receipt_id", where: "1",
            orderedBy: "j.first, r.realm")
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
                SELECT \(key), r.environment, r.bundle_id, r.realm, r.id, r.created_at,
                    coalesce(r.content_sha256, r.sha256), r.kind
                FROM \(source)
                WHERE \(condition) ORDER BY \(order), r.created_at DESC, r.id
                """)
        let purchases = try database.makeStatement(
            sql: """
                SELECT \(KeptPurchase.columns.joined(separator: ", ")) FROM transactions
                WHERE receipt_id = ? ORDER BY position
                """)
        let renewals = try database.makeStatement(
            sql: "SELECT \(KeptRenewal.columns.joined(separator: ", ")) FROM renewals WHERE receipt_id = ?")
        defer { StoredValue.reset(receipts) }
        let row = StatementRow(receipts)
        var customer: Customer?
        while try row.step() {
            let key = Customer.Key(
                subject: row.bytes(0), first: row.isNull(1) ? nil : row.integer(1), environment: row.bytes(2),
                bundleID: row.bytes(3), realm: row.bytes(4))
            let id = row.integer(5)
            if customer?.key != key || key.environment == nil {
                if let customer { try insert(customer) }
                customer = Customer(key)
                count += 1
            }
            var cells = RowCells()
            cells.add(Int(id))
            try receipt.insert(count, cells: cells, 0..<1, database)
            let kind = row.text(8) ?? ""
            if customer?.take(receipt: id, kind: kind, createdAt: row.date(6), content: row.bytes(7)) == true
            {
                switch kind {
                case "renewal-info":
                    try read(renewals, of: id) { customer?.take(KeptRenewal($0)) }
                case "app-transaction", "notification": break
                default: try read(purchases, of: id) { customer?.take(KeptPurchase($0, from: 0)) }
                }
            }
        }
        if let customer { try insert(customer) }
    }

    private func read(
        _ statement: Statement, of receipt: Int64, _ body: (StatementRow) -> Void
    ) throws {
        let row = StatementRow(statement)
        row.bind(receipt)
        defer { StoredValue.reset(statement) }
        while try row.step() { body(row) }
    }

    private func insert(_ customer: Customer) throws {
        let unjudged =
            customer.isTooLong
            ? "more than \(Customer.limit) purchases"
            : customer.tellsOfPurchases ? nil : Self.tellingOfNone
        let history = unjudged == nil ? customer.history() : nil
        var cells = RowCells()
        cells.add(stored: customer.key.subject)
        cells.add(stored: customer.key.environment)
        cells.add(stored: customer.key.bundleID)
        cells.add(customer.count)
        cells.add(history?.count)
        cells.add(customer.evidenceDate)
        cells.add(unjudged)
        try self.customer.insert(count, customer.newestReceipt, cells: cells, cells.cells.indices, database)
        guard let history else { return }
        for verdict in question.rules.verdicts(for: question.products, in: history, asOf: question.asOf) {
            var cells = RowCells()
            cells.add(verdict)
            cells.add(caveats: verdict.promotionalOffer)
            cells.add(caveats: verdict.winBackOffer)
            cells.add(customer.receipts(of: verdict).map { "\($0)" }.joined(separator: ","))
            try self.verdict.insert(count, cells: cells, cells.cells.indices, database)
        }
    }
}
