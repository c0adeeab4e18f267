import AppReceipt
import Foundation
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources
import SQLite

/// The rows of one record, without the keys that depend on its place and certificates in the database.
struct ReceiptRows: Sendable {
    /// The cells of the record, then of each transaction, each verdict and the object.
    private(set) var cells = RowCells()
    /// The certificates from the signer to the trust anchor.
    let certificates: [CertificateFacts]
    let transactionCount: Int
    let verdictCount: Int
    let table: Table
    /// The facts of the file, if the record is a file.
    let input: InputFacts?

    /// The table of the rows next to the record's row.
    enum Table: Int, CaseIterable {
        case transactions, signedTransactions, renewals, notifications, realtimeRequests, appTransactions

        var rows: RowTable {
            switch self {
            case .transactions: .transactions
            case .signedTransactions: .signedTransactions
            case .renewals: .renewals
            case .notifications: .notifications
            case .realtimeRequests: .realtimeRequests
            case .appTransactions: .appTransactions
            }
        }
    }

    /// The range of the record's row in the cells.
    static let receipt = 0..<RowTable.receipts.width

    private static let leafIndex = RowTable.receipts.cell("leaf")

    /// The range of all transactions.
    var transactions: Range<Int> {
        let start = Self.receipt.upperBound
        return start..<start + transactionCount * width
    }

    /// The number of cells in a row of the table.
    var width: Int { table.rows.width }

    /// The range of the table's rows: all transactions, or the row of another object, which has no verdicts
    /// before it.
    var tableRows: Range<Int> {
        transactionCount > 0 ? transactions : verdicts.upperBound..<cells.cells.count
    }

    /// The range of all verdicts.
    var verdicts: Range<Int> {
        let start = transactions.upperBound
        return start..<start + verdictCount * RowTable.verdicts.width
    }

    func values(_ range: Range<Int>) -> [Value] { range.map(cells.value) }

    /// Creates the rows of an answer.
    /// - Parameter leaf: The leaf, or nil if there is no verdict.
    init(_ answer: RecordAnswer, from source: String, _ catalog: SubscriptionCatalog?, _ leaf: SHA256Digest?)
    {
        input = answer.input
        let object = answer.examination?.evidence
        let isGenuine = answer.examination?.refusal == nil
        (table, transactionCount) = object?.table ?? (.transactions, 0)
        verdictCount = isGenuine ? answer.verdicts?.count ?? 0 : 0
        certificates = isGenuine ? object?.certificates ?? [] : []
        if object != nil {
            cells.reserve(
                cells: Self.receipt.count + transactionCount * width
                    + verdictCount * RowTable.verdicts.width + 24)
            cells.reserve(bytes: 660 + 140 * transactionCount)
        } else {
            cells.reserve(cells: Self.receipt.count)
        }
        cells.add(recordOf: answer, from: source, leaf)
        guard let object else { return }
        let catalog = catalog?.scope(of: object.bundleID)
        if case .receipt(let receipt) = object {
            let bytes = receipt.payload.bytes
            for (position, purchase) in receipt.payload.inAppPurchases.enumerated() {
                cells.add(purchase: purchase, at: position, of: bytes, catalog)
            }
        } else {
            cells.add(contentOf: object, catalog)
        }
        if isGenuine { for verdict in answer.verdicts ?? [] { cells.add(verdict: verdict) } }
    }

    /// Replaces the leaf in the record's row.
    mutating func complete(_ leaf: SHA256Digest) { cells.replace(leaf, at: Self.leafIndex) }
}
