/// One entry of a specification: its name, content, signer and encoding.
struct ReceiptEntry: Decodable, SpecificationEntry {
    var name: String
    var encoding: ReceiptEncoding?
    var content: EntryContent
    var chain = ChainSpecification()
    var hostile: String?

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        name = try object.fileName()
        _ = try object.value("story", as: String.self)
        try object.take("hostile", &hostile)
        if let hostile, !HostileVariant.all.contains(where: { $0.id == hostile }),
            !HostileJWS.all.contains(where: { $0.id == hostile })
        {
            throw object.error(
                "hostile", "unknown hostile variant '\(hostile)'; appreceipt forge --list-variants lists them"
            )
        }
        content = try EntryContent(&object, hostile: hostile)
        switch content {
        case .receipt(let receipt, _):
            if receipt.receiptType == "Xcode" { chain.signer = .storeKitTest }
            fallthrough
        case .transactionReceipt:
            if object.contains("encoding") { encoding = try object.named("encoding") ?? .der }
        case .jws, .answer: break
        }
        try object.nested("chain") { try chain.read(&$0) }
        try object.finish()
    }

    var fileName: String {
        switch content {
        case .receipt: "\(name).\((encoding ?? .der).fileExtension)"
        case .jws: "\(name).jws"
        case .answer: "\(name).json"
        // The DER encoding of a transaction receipt is the property list itself.
        case .transactionReceipt: encoding == .der ? "\(name).plist" : "\(name).b64"
        }
    }

    func forge(_ shared: ChainSpecification) throws(ForgeError) -> [UInt8] {
        switch content {
        case .receipt(let content, let container):
            var recipe = ReceiptRecipe(content, authority: try chain.authority(over: shared))
            container.apply(to: &recipe)
            let forged =
                if let hostile { try HostileVariant.named(hostile).forge(from: recipe) } else {
                    try recipe.forge()
                }
            return (encoding ?? .der).encode(forged.bytes)
        case .jws(let kind, let payload, let header):
            return Array(
                try chain.jws(kind, payload, header: header, hostile: hostile, over: shared).utf8)
        case .answer(let value): return Array((try chain.answer(value, over: shared) + "\n").utf8)
        case .transactionReceipt(let receipt):
            let authority = try chain.authority(over: shared, for: receipt.format)
            return (encoding ?? .base64).encode(try receipt.forge(signer: authority.leaf))
        }
    }
}
