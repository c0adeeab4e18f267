/// One receipt of a specification: what it is called, what it holds, how it is signed and written.
struct ReceiptEntry: Decodable {
    var name: String
    var encoding = ReceiptEncoding.der
    var content: ReceiptContent
    var chain = ChainSpecification()
    var container = ContainerSpecification()
    var hostile: String?

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        name = try object.required("name")
        let allowed = name.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard allowed, !name.isEmpty, !name.hasPrefix("."), name.utf8.count <= 200 else {
            throw object.error("name", "expected letters, digits, '-', '_' and '.', not at the beginning")
        }
        _ = try object.value("story", as: String.self)
        try object.takeName("encoding", &encoding)
        content = try object.value("receipt", as: ReceiptSpecification.self)?.content ?? ReceiptContent()
        if content.receiptType == "Xcode" {
            chain.signer = .storeKitTest
            container.isBER = true
        }
        try object.nested("chain") { try chain.read(&$0) }
        try object.nested("container") { try container.read(&$0) }
        try object.take("hostile", &hostile)
        if let hostile, !HostileVariant.all.contains(where: { $0.id == hostile }) {
            throw object.error("hostile", "no variant is called \"\(hostile)\"")
        }
        try object.finish()
    }

    /// The receipt as it is written to a file.
    func forge(_ shared: ChainSpecification) throws(ForgeError) -> [UInt8] {
        var recipe = ReceiptRecipe(content, authority: try chain.authority(over: shared))
        container.apply(to: &recipe)
        let forged =
            if let hostile { try HostileVariant.named(hostile).forge(from: recipe) } else {
                try recipe.forge()
            }
        return encoding.encode(forged.bytes)
    }
}
