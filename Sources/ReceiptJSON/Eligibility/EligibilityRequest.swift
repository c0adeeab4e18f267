public import AppReceipt
public import OfferEligibility
import StrictJSON

// {
//     "evidence": [text, …],
//     "renewal_info": [text, …],     OPTIONAL
//     "products": [id, …],           OPTIONAL where a catalogue has them
//     "as_of": RFC 3339,             OPTIONAL
//     "catalog": {…}                 OPTIONAL where the endpoint has one
// }

/// What is asked about one customer. An ``EligibilityEndpoint`` reads it.
public struct EligibilityRequest: Sendable {
    /// What proves the customer's purchases: receipts in any encoding, compact JWS, answers that hold them.
    public let evidence: [[UInt8]]
    /// Signed renewal information, and what stands beside it.
    public let renewalInfo: [[UInt8]]
    /// The instant that is asked about; nil: the present.
    public let asOf: Timestamp?
    /// The groups of the products.
    public let catalog: SubscriptionCatalog
    /// The products that are asked about, each once; nil: those of the customer's app in a scoped catalog.
    public let products: [String]?

    /// How many verdicts there are, at most.
    package var productCount: Int { products?.count ?? catalog.products.count }

    /// - Parameter ownCatalog: of the endpoint, for requests that bring none.
    init(_ body: [UInt8], ownCatalog: SubscriptionCatalog?) throws(EligibilityFailure) {
        var evidence: [[UInt8]]?
        var renewalInfo: [[UInt8]] = []
        var products: [String]?
        var asOf: Timestamp?
        var catalog: SubscriptionCatalog?
        do throws(JSONError) {
            guard body.count <= EligibilityEndpoint.maximumRequestBytes else {
                throw JSONError(.tooLong(limit: EligibilityEndpoint.maximumRequestBytes), at: body.count)
            }
            var reader = JSONReader(body.span)
            try reader.object { (reader, name) throws(JSONError) in
                switch name {
                case "evidence": evidence = try Self.texts(&reader)
                case "renewal_info": renewalInfo = try Self.texts(&reader)
                case "products":
                    let names = try Self.texts(&reader)
                    products = names.map { String(decoding: $0, as: UTF8.self) }
                case "as_of":
                    guard let date = Timestamp(rfc3339: try reader.string()) else {
                        throw reader.error(.invalidDate)
                    }
                    asOf = date
                case "catalog":
                    guard try reader.peek() == .object else {
                        throw reader.error(.unexpectedKind(expected: .object, found: try reader.peek()))
                    }
                    catalog = try SubscriptionCatalog(parsing: body[try reader.slice()])
                default: throw reader.error(.unexpectedValue(String(name.prefix(64))))
                }
            }
            try reader.end()
            guard evidence != nil else { throw reader.error(.missing("evidence")) }
        } catch {
            throw .badRequest("\(error)")
        }
        guard let evidence, !evidence.isEmpty else { throw .badRequest("evidence: is empty") }
        guard let own = catalog ?? ownCatalog else {
            throw .badRequest("catalog: is missing, and the settings have none")
        }
        self.products = try Self.products(products, isOwn: catalog == nil, own)
        (self.evidence, self.renewalInfo, self.asOf, self.catalog) = (evidence, renewalInfo, asOf, own)
    }

    private static func products(
        _ asked: [String]?, isOwn: Bool, _ catalog: SubscriptionCatalog
    ) throws(EligibilityFailure) -> [String]? {
        let products = asked ?? catalog.productIDs
        let most = EligibilityEndpoint.maximumMembers
        guard isOwn || products.count <= most else {
            throw .badRequest("products: say which, of a catalogue of more than \(most)")
        }
        guard !products.isEmpty else {
            throw .badRequest("products: are missing, and the catalogue names none")
        }
        guard Set(products.map { Array($0.utf8) }).count == products.count else {
            throw .badRequest("products: one is there twice")
        }
        return asked ?? (catalog.apps == nil ? products : nil)
    }

    private static func texts(_ reader: inout JSONReader) throws(JSONError) -> [[UInt8]] {
        let most = EligibilityEndpoint.maximumMembers
        var texts: [[UInt8]] = []
        try reader.array { (reader, index) throws(JSONError) in
            guard index < most else { throw reader.error(.tooManyMembers(limit: most)) }
            texts.append(try reader.text(atMost: .max))
        }
        return texts
    }
}
