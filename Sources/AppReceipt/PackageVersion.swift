extension ReceiptVerifier {
    /// The version of this package, of every product of it (Semantic Versioning 2.0.0). It is said here alone:
    /// `appreceipt --version` and the databases of audits have it from here.
    public static let packageVersion = "0.1.0"
}
