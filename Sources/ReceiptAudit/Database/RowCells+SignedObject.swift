import AppReceipt
import OfferEligibility

extension RowCells {
    /// The columns of a signed object that is no PKCS #7 receipt, ``ReceiptRows/receiptColumns`` from `kind` on.
    mutating func add(_ object: VerifiedObject, enclosedIn app: String?) {
        let signed = object.object
        add(object.kind)
        add(signed.realm.rawValue)
        add(signed.environment?.rawValue)
        add(object.jws == nil ? "sha1" : "sha256")
        let app = object.bundleID ?? app
        guard case .appTransaction(let transaction) = object else {
            addNulls(1)
            add(app)
            addNulls(2)
            add(signed.verifiedAt)
            return addNulls(7)
        }
        add(transaction.receiptType)
        add(app)
        add(transaction.applicationVersion)
        add(transaction.originalApplicationVersion)
        add(transaction.receiptCreationDate)
        add(transaction.originalPurchaseDate)
        addNulls(1)
        add(transaction.appAppleID.map { "\($0)" })
        addNulls(4)
    }
}

extension VerifiedObject {
    /// As `receipts` names it.
    var kind: String {
        switch self {
        case .receipt: "receipt"
        case .transaction: "transaction"
        case .renewalInfo: "renewal-info"
        case .appTransaction: "app-transaction"
        case .notification: "notification"
        case .transactionReceipt: "transaction-receipt"
        }
    }
}
