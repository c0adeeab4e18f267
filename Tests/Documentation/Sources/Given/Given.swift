import Foundation
import ReceiptForge

/// What the pages say that the reader has. `examples` says which block gets what of it.
public enum Given {
    /// The root of an authority for tests, in DER.
    public static func root() throws -> [UInt8] { try Authority.test().root.certificate.der }

    /// A receipt of that authority's, with one purchase that is no subscription.
    public static func receipt(bundleID: String = "com.example.app") throws -> [UInt8] {
        let lifetime = PurchaseContent(
            productID: "\(bundleID).lifetime", transactionID: "410000000000001",
            purchaseDate: "2024-05-01T10:00:00Z")
        let content = ReceiptContent(bundleID: bundleID, purchases: [lifetime])
        return try ReceiptRecipe(content, authority: try .test()).forge().bytes
    }

    /// The receipts of Fixtures/genuine.
    public static func genuine() throws -> [[UInt8]] {
        let folder = package.appending(path: "Fixtures/genuine/receipts")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { [UInt8](try Data(contentsOf: $0)) }
    }

    /// A file of the package, by its path from the top.
    public static func file(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: package.appending(path: path)))
    }

    private static let package = URL(filePath: #filePath).appending(path: "../../../../..").standardized
}
