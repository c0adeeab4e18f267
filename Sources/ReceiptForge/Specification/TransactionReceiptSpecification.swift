/// The `transaction_receipt` object: `version` 2, 3 or 4, and the texts of `purchase_info`, in which null
/// omits a text.
struct TransactionReceiptSpecification: Decodable {
    var version: UInt8 = 3
    var purchaseInfo: [String: String?] = [:]

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        try object.take("version", &version)
        guard (2...4).contains(version) else { throw object.error("version", "must be 2, 3 or 4") }
        try object.take("purchase_info", &purchaseInfo)
        for (name, text) in purchaseInfo where (name + (text ?? "")).contains(where: { "\"\\".contains($0) })
        {
            throw object.error("purchase_info", "must be strings without quotes and backslashes")
        }
        try object.finish()
    }

    var format: SignedFormat { version == 2 ? .oldTransactionReceipt : .receipt }

    func forge(signer: Identity) throws(ForgeError) -> [UInt8] {
        var recipe = TransactionReceiptRecipe(version: version, signer: signer)
        for (name, text) in purchaseInfo.sorted(by: { $0.key < $1.key }) {
            let index = recipe.purchaseInfo.firstIndex { $0.name == name } ?? recipe.purchaseInfo.count
            let known = index..<min(index + 1, recipe.purchaseInfo.count)
            recipe.purchaseInfo.replaceSubrange(known, with: text.map { [(name, $0)] } ?? [])
        }
        return Array(try recipe.forge().utf8)
    }
}
