import ReceiptForge
import TestSupport
import Testing

@Suite("OpenSSL's command line accepts forged receipts")
struct ReceiptRecipeTests {
    let purchases = [
        PurchaseContent(
            productID: "com.example.forge.coins", transactionID: "100000000000001",
            purchaseDate: "2024-05-01T10:00:00Z", type: 1),
        .subscription(
            productID: "com.example.forge.monthly", transactionID: "100000000000002",
            purchaseDate: "2024-05-02T10:00:00Z", expiresDate: "2024-06-02T10:00:00Z"),
    ]

    @Test("any digest, with and without signed attributes", arguments: Digest.allCases)
    func verifies(digest: Digest) throws {
        var recipe = ReceiptRecipe(ReceiptContent(purchases: purchases), authority: try .test())
        recipe.digest = digest
        for attributes in [
            ReceiptRecipe.SignedAttributes.none, .usual(signingTime: nil),
            .usual(signingTime: "2024-06-01T10:00:00Z"),
        ] {
            recipe.signedAttributes = attributes
            let receipt = try recipe.forge()
            let answer = try OpenSSLTool.verify(receipt.bytes, root: receipt.anchor)
            #expect(answer.status == 0, "\(answer.messages)")
            #expect(answer.bytes == (try recipe.content.encoded()))
        }
    }

    @Test("Xcode's format", arguments: [1, 100, 1_024], [false, true])
    func xcode(chunkSize: Int, doubleWrapped: Bool) throws {
        var recipe = try ReceiptRecipe.xcode(.xcode(purchases: purchases))
        recipe.form = .ber(chunkSize: chunkSize)
        recipe.doubleWrapped = doubleWrapped
        let receipt = try recipe.forge()
        let answer = try OpenSSLTool.verify(receipt.bytes, root: receipt.anchor)
        #expect(answer.status == 0, "\(answer.messages)")
        let payload = try recipe.content.encoded()
        #expect(answer.bytes == (doubleWrapped ? BER.octetString(payload) : payload))
    }

    @Test("the same recipe gives the same bytes, a generated authority different ones")
    func reproducible() throws {
        let first = try ReceiptRecipe(authority: .test()).forge()
        #expect(try first == ReceiptRecipe(authority: .test()).forge())
        let other = try ReceiptRecipe(authority: .generate()).forge()
        #expect(other != first)
        #expect(try OpenSSLTool.verify(other.bytes, root: other.anchor).status == 0)
        #expect(try OpenSSLTool.verify(other.bytes, root: first.anchor).status != 0)
    }
}
