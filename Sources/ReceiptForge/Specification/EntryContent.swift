/// The content of a specification's entry: a receipt, a JWS, a JSON document that contains JWS, or a
/// transaction receipt.
enum EntryContent {
    case receipt(ReceiptContent, ContainerSpecification)
    case jws(SignedKind, SpecificationValue, header: SpecificationValue)
    /// An App Store Server API response in JSON.
    case answer(SpecificationValue)
    case transactionReceipt(TransactionReceiptSpecification)

    /// The members that select the content. An entry has at most one of them.
    private static let names =
        ["receipt", "answer", "transaction_receipt"] + SignedKind.allCases.map(\.rawValue)

    init(_ object: inout SpecificationObject, hostile: String?) throws {
        let given = Self.names.filter(object.contains)
        guard given.count <= 1 else { throw object.error(given[1], "cannot be combined with '\(given[0])'") }
        let isJWS = hostile.map { name in HostileJWS.all.contains { $0.id == name } }
        let kind = given.first ?? (isJWS == true ? SignedKind.transaction.rawValue : "receipt")
        if let hostile, isJWS != (SignedKind(rawValue: kind) != nil) || isJWS == false && kind != "receipt" {
            throw object.error("hostile", "'\(hostile)' does not apply to this kind of entry")
        }
        switch kind {
        case "receipt":
            let content = try object.value("receipt", as: ReceiptSpecification.self)?.content
            var container = ContainerSpecification()
            container.isBER = content?.receiptType == "Xcode"
            try object.nested("container") { try container.read(&$0) }
            self = .receipt(content ?? ReceiptContent(), container)
        case "answer": self = .answer(try object.required(kind))
        case "transaction_receipt": self = .transactionReceipt(try object.required(kind))
        default:
            let payload: SpecificationValue = try object.value(kind) ?? .object([])
            guard case .object = payload else { throw object.error(kind, "must be an object") }
            let header: SpecificationValue = try object.value("header") ?? .object([])
            guard case .object = header else { throw object.error("header", "must be an object") }
            self = .jws(SignedKind(rawValue: kind) ?? .transaction, payload, header: header)
        }
    }
}

extension ChainSpecification {
    /// Returns a compact JWS with the objects that it contains, signed under this chain.
    func jws(
        _ kind: SignedKind, _ payload: SpecificationValue, header: SpecificationValue, hostile: String?,
        over shared: ChainSpecification
    ) throws(ForgeError) -> String {
        func sign(_ payload: JSONMembers) throws(ForgeError) -> String {
            try recipe(of: payload, over: shared).forge()
        }
        guard case .object(let members) = payload else { return "" }
        var outer = try recipe(of: try kind.payload(with: members, sign), over: shared)
        if case .object(let members) = header {
            outer.header.replace(try SpecificationValue.members(members, sign))
        }
        if let hostile { return try HostileJWS.named(hostile).forge(from: outer).text }
        return try outer.forge()
    }

    /// Returns JSON in which every JWS is signed.
    func answer(_ value: SpecificationValue, over shared: ChainSpecification) throws(ForgeError) -> String {
        try value.json { payload throws(ForgeError) in try recipe(of: payload, over: shared).forge() }
    }

    /// Returns the recipe of a payload. The default signer for Xcode's environment is StoreKit Test.
    private func recipe(
        of payload: JSONMembers, over shared: ChainSpecification
    ) throws(ForgeError) -> JWSRecipe {
        var chain = self
        if chain.signer == nil, payload.isOfXcode { chain.signer = .storeKitTest }
        return JWSRecipe(payload, authority: try chain.authority(over: shared, for: .jws))
    }
}

extension ReceiptEntry {
    /// Returns the format that StoreKit Test signs in this entry, if any.
    func formatOfXcode(_ shared: ChainSpecification) -> SignedFormat? {
        let isSigner = (chain.signer ?? shared.signer) == .storeKitTest
        switch content {
        case .receipt: return isSigner ? .receipt : nil
        case .jws(_, let value, _), .answer(let value):
            return isSigner || chain.signer == nil && value.mentionsXcode ? .jws : nil
        case .transactionReceipt: return nil
        }
    }
}

extension SpecificationValue {
    fileprivate var mentionsXcode: Bool {
        switch self {
        case .literal: false
        case .text(let text): text == "Xcode" || text == "LocalTesting"
        case .list(let values): values.contains(where: \.mentionsXcode)
        case .object(let members): members.contains(where: \.value.mentionsXcode)
        }
    }
}
