import Foundation
import ReceiptForge

/// The values that the documentation pages assume. `examples` assigns them to code blocks.
public enum Given {
    /// Returns the root of a test authority, in DER.
    public static func root() throws -> [UInt8] { try Authority.test().root.certificate.der }

    /// Returns a receipt of that authority with one purchase, which is not a subscription.
    public static func receipt(bundleID: String = "com.example.app") throws -> [UInt8] {
        let lifetime = PurchaseContent(
            productID: "\(bundleID).lifetime", transactionID: "410000000000001",
            purchaseDate: "2024-05-01T10:00:00Z")
        let content = ReceiptContent(bundleID: bundleID, purchases: [lifetime])
        return try ReceiptRecipe(content, authority: try .test()).forge().bytes
    }

    /// Returns the receipts of Fixtures/genuine.
    public static func genuine() throws -> [[UInt8]] {
        let folder = package.appending(path: "Fixtures/genuine/receipts")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { [UInt8](try Data(contentsOf: $0)) }
    }

    /// Returns a file of the package by its path.
    public static func file(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: package.appending(path: path)))
    }

    private static let package = URL(filePath: #filePath).appending(path: "../../../../..").standardized
}
