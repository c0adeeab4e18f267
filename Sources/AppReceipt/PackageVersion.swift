extension ReceiptVerifier {
    /// The version of this package and all its products (Semantic Versioning 2.0.0). `appreceipt --version`
    /// and audit databases use this value.
    public static let packageVersion = "0.1.0"
}
