import ReceiptForge

/// Receipts that the command-line tests share.
enum Receipts {
    static func content(_ purchases: [PurchaseContent] = [monthly]) -> ReceiptContent {
        ReceiptContent(bundleID: "com.example.app", purchases: purchases)
    }

    static let monthly = PurchaseContent.subscription(
        productID: "com.example.app.monthly", transactionID: "100000000000001",
        purchaseDate: "2024-05-02T10:00:00Z",
        expiresDate: "2024-06-02T10:00:00Z")

    /// Returns a receipt that is genuine under the test root.
    static func genuine(_ content: ReceiptContent = content()) throws -> [UInt8] {
        try ReceiptRecipe(content, authority: .test()).forge().bytes
    }

    /// Returns a receipt with an invalid signature.
    static func forged() throws -> [UInt8] {
        try HostileVariant.named(badSignature).forge().bytes
    }

    private static let badSignature =
        HostileVariant.all.first { $0.answers == [.badSignature] }?.id ?? "none"

    static func root() throws -> [UInt8] { try Authority.test().root.certificate.der }
}

extension CommandLineTool {
    /// Creates a tool whose folder contains `genuine.der`, `forged.der` and `root.cer`.
    static func withReceipts() throws -> CommandLineTool {
        let tool = try CommandLineTool()
        try tool.write(Receipts.genuine(), to: "genuine.der")
        try tool.write(Receipts.forged(), to: "forged.der")
        try tool.write(Receipts.root(), to: "root.cer")
        return tool
    }
}
