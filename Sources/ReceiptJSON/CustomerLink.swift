/// A name that links the evidence of one customer without a subject. The cases are in alphabetical order.
package enum CustomerLink: String, CaseIterable, Sendable {
    case appAccountToken = "app_account_token"
    case appTransactionID = "app_transaction_id"
    case originalTransactionID = "original_transaction_id"
}
