/// A name that links evidence of one customer where no subject does, in the order of their texts.
package enum CustomerLink: String, CaseIterable, Sendable {
    case appAccountToken = "app_account_token"
    case appTransactionID = "app_transaction_id"
    case originalTransactionID = "original_transaction_id"
}
