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

/// The `container` object: how the content is signed and wrapped.
struct ContainerSpecification {
    var digest = Digest.sha256
    var signedAttributes = ReceiptRecipe.SignedAttributes.none
    var isBER = false
    var chunkSize = 1_024
    var doubleWrapped = false
    /// Which certificates the bag holds, in which order; nil for all, leaf first.
    var certificates: [String]?

    mutating func read(_ object: inout SpecificationObject) throws {
        try object.takeName("digest", &digest)
        var isSigned = false
        try object.take("signed_attributes", &isSigned)
        let time: String? = try object.value("signing_time")
        if isSigned || time != nil { signedAttributes = .usual(signingTime: time) }
        try object.take("ber", &isBER)
        try object.take("chunk_size", &chunkSize)
        guard chunkSize > 0 else { throw object.error("chunk_size", "expected 1 or more") }
        try object.take("double_wrapped", &doubleWrapped)
        try object.take("certificates", &certificates)
        for name in certificates ?? [] where !["leaf", "intermediate", "root"].contains(name) {
            throw object.error("certificates", "\"\(name)\" is none of leaf, intermediate, root")
        }
    }

    func apply(to recipe: inout ReceiptRecipe) {
        recipe.digest = digest
        recipe.signedAttributes = signedAttributes
        recipe.form = isBER ? .ber(chunkSize: chunkSize) : .der
        recipe.doubleWrapped = doubleWrapped
        guard let certificates else { return }
        let authority = recipe.authority
        let bag = certificates.compactMap { name -> [UInt8]? in
            switch name {
            case "leaf": authority.leaf.certificate.der
            case "intermediate": authority.intermediate?.certificate.der
            default: authority.root.certificate.der
            }
        }
        recipe.editContainer { $0.certificates = bag }
    }
}
