import OfferEligibility
import ReceiptJSON
import SQLite

/// The rows of `customers`, `customer_receipts` and `subject_verdicts`.
struct CustomerRows: CustomerOutput {
    private let database: Connection
    private let customer: Insertion
    private let receipt: Insertion
    private let verdict: Insertion

    static let verdictColumns =
        ["customer_id"] + ReceiptRows.verdictColumns.dropFirst()
        + ["promotional_caveats", "win_back_caveats", "receipts"]
    private static let customerSQL = Insertion.SQL(
        "customers",
        [
            "id", "newest_receipt_id", "subject", "environment", "bundle_id", "receipts", "purchases",
            "evidence_date", "linked_by", "unjudged",
        ])
    private static let receiptSQL = Insertion.SQL("customer_receipts", ["customer_id", "receipt_id"])
    private static let verdictSQL = Insertion.SQL("subject_verdicts", verdictColumns)

    init(_ database: Connection) throws {
        self.database = database
        customer = try Insertion(Self.customerSQL, database)
        receipt = try Insertion(Self.receiptSQL, database)
        verdict = try Insertion(Self.verdictSQL, database)
    }

    func add(receipt id: Int64, of number: Int64) throws {
        var cells = RowCells()
        cells.add(Int(id))
        try receipt.insert(number, cells: cells, 0..<1, database)
    }

    func add(
        _ customer: Customer, number: Int64, answer: (history: PurchaseHistory, verdicts: [ProductVerdict])?
    ) throws {
        var cells = RowCells()
        cells.add(stored: customer.key.subject)
        cells.add(stored: customer.key.environment)
        cells.add(stored: customer.key.bundleID)
        cells.add(customer.snapshot.count)
        cells.add(answer?.history.count)
        cells.add(customer.snapshot.evidenceDate)
        cells.add(customer.linkedBy.map { $0.map(\.rawValue).joined(separator: ",") })
        cells.add(customer.snapshot.unjudged)
        try self.customer.insert(
            number, customer.snapshot.newestReceipt, cells: cells, cells.cells.indices, database)
        for verdict in answer?.verdicts ?? [] {
            var cells = RowCells()
            cells.add(verdict)
            cells.add(caveats: verdict.promotionalOffer)
            cells.add(caveats: verdict.winBackOffer)
            cells.add(customer.snapshot.receipts(of: verdict).map { "\($0)" }.joined(separator: ","))
            try self.verdict.insert(number, cells: cells, cells.cells.indices, database)
        }
    }
}
