/// A series of receipts from a seed as NDJSON: mostly genuine, some that a verifier must refuse.
///
/// Each line depends only on seed and index, so any thread can make lines in any order.
public struct ReceiptSeries: Sendable {
    /// The number of receipts.
    public let count: Int
    /// The seed. The same seed gives the same receipts.
    public let seed: UInt64
    private let genuine: Authority
    private let untrusted: Authority
    private let withoutMarker: Authority

    /// Creates a series.
    /// - Throws: ``ForgeError/crypto(operation:reason:)``
    public init(count: Int, seed: UInt64) throws(ForgeError) {
        self.count = count
        self.seed = seed
        genuine = try .test()
        untrusted = try .attacker()
        withoutMarker = try .test { $0.leaf[.receiptSigningMarker] = nil }
    }

    /// The root of the genuine receipts in DER.
    public var root: [UInt8] { genuine.root.certificate.der }

    /// Returns `{"id": "…", "receipt": "<base64>", "subject": "…"}` and a line feed, in UTF-8.
    ///
    /// - Parameter index: The number of the receipt, in 0..<``count``.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func line(_ index: Int) throws(ForgeError) -> [UInt8] {
        var generator = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0xD134_2543_DE82_EF95)
        // Neighboring lines share customers. Some customers have several receipts, most have one or two.
        let subject = max(0, index - generator.below(5))
        let receipt = try receipt(using: &generator)
        return Array("{\"id\":\"receipt-\(index)\",\"receipt\":\"".utf8) + Base64.encode(receipt)
            + Array("\",\"subject\":\"customer-\(subject)\"}\n".utf8)
    }

    private func receipt(using generator: inout some RandomNumberGenerator) throws(ForgeError) -> [UInt8] {
        var recipe = ReceiptRecipe(.random(using: &generator), authority: genuine)
        if generator.chance(30) { recipe.digest = .sha1 }
        // On average, 88 of 100 receipts are genuine.
        switch generator.below(100) {
        case 0..<3: recipe.authority = untrusted
        case 3..<5: recipe.authority = withoutMarker
        case 5..<8: recipe.editContainer { $0.eContent?.flipBit(fromEnd: 2) }
        case 8..<10: recipe.editReceipt { $0.removeLast($0.count / 3) }
        case 10..<12: recipe.content.creationDate = "2024-02-30T00:00:00Z"
        default: break
        }
        return try recipe.forge().bytes
    }
}
