package enum EvidenceForm: Sendable {
    /// A PKCS #7 receipt. It lists every subscription that the customer had at its creation.
    case receipt
    /// A JWS.
    case signed
    case transactionReceipt
}
