import OfferEligibility
import ReceiptJSON
import SQLite

/// The rows of `customers`, `customer_receipts` and `subject_verdicts`.
struct CustomerRows: CustomerOutput {
    private let database: Connection
    private let customer: Insertion
    private let receipt: Insertion
    private let verdict: Insertion

    private static let customerSQL = Insertion.SQL(.customers)
    private static let receiptSQL = Insertion.SQL("customer_receipts", ["customer_id", "receipt_id"])
    private static let verdictSQL = Insertion.SQL(.subjectVerdicts)

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
        cells.add(customer: customer, purchases: answer?.history.count)
        try self.customer.insert(
            number, customer.snapshot.newestReceipt, cells: cells, cells.cells.indices, database)
        let verdicts = answer?.verdicts ?? []
        for (verdict, receipts) in zip(verdicts, customer.snapshot.receipts(of: verdicts)) {
            var cells = RowCells()
            cells.add(verdict: verdict, receipts: receipts)
            try self.verdict.insert(number, cells: cells, cells.cells.indices, database)
        }
    }
}
