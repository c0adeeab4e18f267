/// The formats of signed objects.
public enum SignedFormat: String, Sendable {
    /// A PKCS #7 receipt, or a compact JWS.
    case pkcs7, jws
    /// A transaction receipt.
    case transactionReceipt = "transaction_receipt"
}
