/// The inputs of a transaction receipt (`SKPaymentTransaction.transactionReceipt`), a property list.
public struct TransactionReceiptRecipe: Sendable {
    /// The signer. Its RSA key has 1,024 bits for version 2 and 2,048 bits for versions 3 and 4.
    public var signer: Identity
    /// The version of the signature: 2 and 3 sign with SHA-1, 4 with SHA-256.
    public var version: UInt8
    /// The members of purchase-info as text.
    public var purchaseInfo: [(name: String, text: String)]
    /// An edit of the blob: version, signature, length, certificate.
    public var editBlob: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of the property list.
    public var editList: ReceiptRecipe.Edit<String>?

    /// Creates a recipe for a valid receipt of one purchase.
    public init(version: UInt8, signer: Identity) {
        self.version = version
        self.signer = signer
        purchaseInfo = [
            ("bid", "com.example.app"), ("bvrs", "1.0"), ("product-id", "com.example.app.coins"),
            ("quantity", "2"), ("transaction-id", "1000000000000002"),
            ("original-transaction-id", "1000000000000001"), ("purchase-date-ms", "1349116800000"),
            ("original-purchase-date-ms", "1349116800000"), ("expires-date", "1351795200000"),
        ]
    }

    /// Returns the property list.
    /// - Throws: ``ForgeError`` if the signer's key cannot sign, and any error that an edit throws.
    public func forge() throws(ForgeError) -> String {
        let info = Array(Self.list(purchaseInfo).utf8)
        let signature = try signer.key.sign([version] + info, digest: version == 4 ? .sha256 : .sha1)
        let der = signer.certificate.der
        let length = (0..<4).map { UInt8(truncatingIfNeeded: der.count >> (24 - 8 * $0)) }
        var blob = [version] + signature + length + der
        try editBlob?(&blob)
        var text = Self.list([
            ("signature", Base64.text(blob)), ("purchase-info", Base64.text(info)),
            ("environment", "Sandbox"), ("pod", "100"), ("signing-status", "0"),
        ])
        try editList?(&text)
        return text
    }

    /// Returns a property list in the old style.
    public static func list(_ members: [(name: String, text: String)]) -> String {
        "{\n" + members.map { "\t\"\($0.name)\" = \"\($0.text)\";\n" }.joined() + "}"
    }
}
