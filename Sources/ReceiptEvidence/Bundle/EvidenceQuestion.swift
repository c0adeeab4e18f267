import AppReceipt
package import OfferEligibility
import ReceiptJSON
package import StrictJSON

/// An eligibility question: the products, the date, the catalog and the policies that decide the verdicts.
package struct EvidenceQuestion: Sendable {
    /// The catalog file without its private keys, or nil if all subscriptions form one group.
    package let catalog: [UInt8]?
    /// The products to evaluate. Nil means all products in the catalog, or those of the object's app if the
    /// catalog is scoped to apps.
    package private(set) var products: [String]?
    /// Whether the caller named the products. Otherwise, they come from the catalog.
    package let isNamingProducts: Bool
    let asOf: EligibilityInstant
    package let rules: OfferRules
    /// The products that each app's evidence shows, or nil if products are not restricted by app.
    package var shown: ShownProducts?

    /// Creates a question.
    /// - Parameters:
    ///   - catalog: The catalog file, or nil if all subscriptions form one group.
    ///   - products: The products to evaluate. Nil means all products in the catalog, or those of the
    ///     object's app if the catalog is scoped to apps.
    /// - Throws: ``JSONError`` if `catalog` is not a catalog.
    package init(
        catalog: [UInt8]?, products: [String]?, asOf: EligibilityInstant, policies: OfferPolicies
    ) throws(JSONError) {
        let groups = try catalog.map { (bytes) throws(JSONError) in try SubscriptionCatalog(parsing: bytes) }
        self.catalog = catalog.map(Self.withoutKeys)
        self.asOf = asOf
        rules = OfferRules(catalog: groups ?? .singleGroup, policies: policies)
        var named: Set<[UInt8]> = []
        isNamingProducts = products != nil
        let asked = products ?? (rules.catalog.apps == nil ? rules.catalog.productIDs : nil)
        self.products = asked?.filter { named.insert(Array($0.utf8)).inserted }
    }

    /// Returns whether another question names the same products in the same order.
    func hasProducts(of other: EvidenceQuestion) -> Bool {
        guard let products, let others = other.products else {
            return products == nil && other.products == nil
        }
        return products.elementsEqual(others) { $0.isExactly($1) }
    }

    /// The maximum number of products in a bundle's question, because each verdict takes space. A larger
    /// catalog raises it to the catalog's number.
    private static let mostProducts = 1000

    /// Returns the catalog with its keys set to null. A StoreKit configuration contains the private key that
    /// signs offers, which must stay secret.
    private static func withoutKeys(_ catalog: [UInt8]) -> [UInt8] {
        var copy: [UInt8] = []
        var end = 0
        for citation in [Citation](namesOfJSON: catalog) {
            guard String(decoding: citation.path.suffix(3), as: UTF8.self).lowercased() == "key" else {
                continue
            }
            copy += catalog[end..<citation.range.lowerBound]
            copy += "null".utf8
            end = citation.range.upperBound
        }
        return copy + catalog[end...]
    }

    /// Returns the verdicts on an object, or nil if the object has no purchase history.
    func verdicts(on object: VerifiedObject) -> [ProductVerdict]? {
        object.purchaseHistory.map {
            rules.verdicts(for: products ?? rules.products(for: $0), in: $0, asOf: asOf)
        }
    }

    /// Returns the question for one object. If the evidence covers several apps, the question is about the
    /// products in the evidence of the object's app.
    func asked(of object: VerifiedObject?) -> EvidenceQuestion {
        guard let shown, shown.isOfSeveralApps, let history = object?.purchaseHistory else { return self }
        var question = self
        question.products = shown.products(for: history)
        return question
    }
}

extension JSONWriter {
    mutating func question(_ question: EvidenceQuestion) {
        object { json in
            json.bool("single_group", question.catalog == nil)
            json.key("products")
            if let products = question.products {
                json.array(products) { $0.string($1) }
            } else {
                json.null()
            }
            json.date("as_of", question.asOf.timestamp)
            json.key("is_clock")
            if case .clock = question.asOf { json.bool(true) } else { json.bool(false) }
            json.string("refunds", question.rules.policies.refunds.rawValue)
            json.string("stale_evidence", question.rules.policies.staleEvidence.rawValue)
            json.string("partial_evidence", question.rules.policies.partialEvidence.rawValue)
            json.string("promotional_scope", question.rules.policies.promotionalScope.rawValue)
        }
    }
}

extension EvidenceQuestion {
    /// Reads the output of ``JSONWriter/question(_:)``.
    init(reading reader: inout JSONReader, catalog: [UInt8]?) throws(JSONError) {
        var products: [String]?
        var isSingleGroup = false
        var isClock = false
        var asOf: Timestamp?
        var policies = OfferPolicies()
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "single_group": isSingleGroup = try reader.bool()
            case "products":
                if try reader.null() { return }
                products = try reader.list { (reader, _) throws(JSONError) in try reader.string() }
            case "as_of": asOf = Timestamp(rfc3339: try reader.string())
            case "is_clock": isClock = try reader.bool()
            case "refunds": policies.refunds = try reader.named()
            case "stale_evidence": policies.staleEvidence = try reader.named()
            case "partial_evidence": policies.partialEvidence = try reader.named()
            case "promotional_scope": policies.promotionalScope = try reader.named()
            default: throw reader.error(.unknownFormat)
            }
        }
        guard let asOf, isSingleGroup == (catalog == nil) else { throw reader.error(.unknownFormat) }
        try self.init(
            catalog: catalog, products: products, asOf: isClock ? .clock(asOf) : .date(asOf),
            policies: policies)
        let most = max(Self.mostProducts, rules.catalog.products.count)
        guard products?.count ?? 0 <= most, self.products?.count == products?.count else {
            throw reader.error(.unknownFormat)
        }
    }
}

extension JSONReader {
    mutating func named<Name: RawRepresentable<String>>() throws(JSONError) -> Name {
        guard let name = Name(rawValue: try string().ifASCII) else { throw error(.unknownFormat) }
        return name
    }
}
