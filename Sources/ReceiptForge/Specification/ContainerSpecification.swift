/// The `container` object: the signature and the encoding of the content.
struct ContainerSpecification {
    var digest = Digest.sha256
    var signedAttributes = ReceiptRecipe.SignedAttributes.none
    var isBER = false
    var chunkSize = 1_024
    var doubleWrapped = false
    /// The certificates in the container, in order. Nil means all, with the leaf first.
    var certificates: [String]?

    mutating func read(_ object: inout SpecificationObject) throws {
        digest = try object.named("digest") ?? digest
        var isSigned = false
        try object.take("signed_attributes", &isSigned)
        let time: String? = try object.value("signing_time")
        if isSigned || time != nil { signedAttributes = .usual(signingTime: time) }
        try object.take("ber", &isBER)
        try object.take("chunk_size", &chunkSize)
        guard chunkSize > 0 else { throw object.error("chunk_size", "must be at least 1") }
        try object.take("double_wrapped", &doubleWrapped)
        try object.take("certificates", &certificates)
        for name in certificates ?? [] where !["leaf", "intermediate", "root"].contains(name) {
            throw object.error("certificates", "'\(name)' is not one of leaf, intermediate, root")
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
