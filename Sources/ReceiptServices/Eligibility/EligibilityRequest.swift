public import AppReceipt
public import OfferEligibility
import ReceiptExamination
import StrictJSON

//     {
//         "evidence": [text, …],
//         "renewal_info": [text, …],              OPTIONAL
//         "unsigned_renewal_info": [text | {…} | [{…}, …], …],  OPTIONAL
//         "products": [id, …],                    OPTIONAL where a catalog has them; each up to 1,024 bytes
//         "as_of": RFC 3339,                      OPTIONAL
//         "catalog": {…},                         OPTIONAL
//         "single_group": boolean,                OPTIONAL, in place of a catalog
//         "refused_evidence": "error" | "caveat"  OPTIONAL
//     }

/// A question about one customer, read by an ``EligibilityEndpoint``.
///
/// A request contains evidence and signed renewal information. It may also contain `unsigned_renewal_info`:
/// saved verifyReceipt responses or their `pending_renewal_info`, which the caller vouches for. Instead of a
/// `catalog`, `single_group` states that all subscriptions form one group. Without either, the groups are
/// those that signed transactions name. `refused_evidence` selects whether refused evidence is an error (the
/// default) or is left out with a caveat.
public struct EligibilityRequest: Sendable {
    /// The handling of refused evidence.
    public enum RefusedEvidence: String, Sendable, CaseIterable {
        /// The request fails without verdicts.
        case error
        /// The endpoint leaves the evidence out, adds the caveat `evidence-refused` to every offer, and lists
        /// `refusals` next to the verdicts.
        case caveat
    }

    /// The proof of the customer's purchases: receipts in any encoding, compact JWS, or responses that
    /// contain them.
    public private(set) var evidence: [[UInt8]] = []
    /// Inputs with signed renewal information, and the other objects in them.
    public private(set) var renewalInfo: [[UInt8]] = []
    /// Unsigned renewal information that the caller vouches for, or nil if there is none.
    public private(set) var unsignedRenewals: RenewalInformation?
    /// The handling of refused evidence.
    public private(set) var refusedEvidence = RefusedEvidence.error
    /// The evaluation date, or nil for the current time.
    public private(set) var asOf: Timestamp?
    /// The groups of the products.
    public private(set) var catalog = SubscriptionCatalog.empty
    /// The products to evaluate, without duplicates. Nil means the products of the customer's app in a scoped
    /// catalog.
    public private(set) var products: [String]?

    /// Reads a request.
    /// - Parameter ownCatalog: The endpoint's catalog, for requests without one.
    /// - Throws: ``EligibilityFailure`` with code `bad_request`.
    init(_ body: [UInt8], ownCatalog: SubscriptionCatalog?) throws(EligibilityFailure) {
        var (given, isSingleGroup): (SubscriptionCatalog?, Bool) = (nil, false)
        var hasEvidence = false
        do throws(JSONError) {
            guard body.count <= EligibilityEndpoint.maximumRequestBytes else {
                throw JSONError(.tooLong(limit: EligibilityEndpoint.maximumRequestBytes), at: body.count)
            }
            var reader = JSONReader(body.span, maximumMembers: 1 << 16)
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "evidence":
                    evidence = try Self.texts(&reader)
                    hasEvidence = true
                case "renewal_info": renewalInfo = try Self.texts(&reader)
                case "products":
                    products = try reader.list(atMost: EligibilityEndpoint.maximumMembers) {
                        (reader, _) throws(JSONError) in try reader.string()
                    }
                case "as_of": asOf = try reader.date()
                case "catalog": given = try Self.catalog(body, at: reader.slice(of: .object))
                case "single_group": isSingleGroup = try reader.bool()
                case "unsigned_renewal_info":
                    unsignedRenewals = RenewalInformation(
                        entries: try Self.unsignedRenewals(&reader, in: body))
                case "refused_evidence": refusedEvidence = try reader.choice()
                default: throw reader.error(.invalid("unknown member"))
                }
            }
            try reader.end()
            guard hasEvidence else { throw reader.error(.missing("evidence")) }
        } catch {
            throw .badRequest("\(error)".cut)
        }
        guard !evidence.isEmpty else { throw .badRequest("evidence: must not be empty") }
        guard given == nil || !isSingleGroup else {
            throw .badRequest("single_group: cannot be combined with catalog")
        }
        let usual = given ?? (isSingleGroup ? .singleGroup : ownCatalog)
        guard let known = usual ?? products.map({ _ in .empty }) else {
            throw .badRequest(
                "catalog: required unless the settings have one or products are named")
        }
        catalog = known
        products = try Self.products(products, given, catalog)
    }

    private static func products(
        _ asked: [String]?, _ given: SubscriptionCatalog?, _ catalog: SubscriptionCatalog
    ) throws(EligibilityFailure) -> [String]? {
        let products = asked ?? catalog.productIDs
        let most = EligibilityEndpoint.maximumMembers
        guard given == nil || products.count <= most else {
            throw .badRequest("products: required with a catalog of more than \(most) products")
        }
        guard !products.isEmpty else {
            throw .badRequest("products: required with a catalog without products")
        }
        // The endpoint's own catalog is large and has no duplicates.
        let named = asked ?? given?.productIDs ?? []
        guard Set(named.map { Array($0.utf8) }).count == named.count else {
            throw .badRequest("products: a product is listed twice")
        }
        return asked ?? (catalog.apps == nil ? products : nil)
    }

    private static func catalog(
        _ body: [UInt8], at range: Range<Int>
    ) throws(JSONError) -> SubscriptionCatalog {
        do throws(JSONError) {
            return try SubscriptionCatalog(
                parsing: Array(body[range]), atMost: EligibilityEndpoint.maximumCatalogEntries)
        } catch {
            let path = error.path.isEmpty ? "catalog" : "catalog.\(error.path)"
            throw JSONError(error.fault, at: range.lowerBound + error.offset, path: path)
        }
    }

    /// Returns the entries of all elements. Each element is JSON or a string that contains JSON.
    private static func unsignedRenewals(
        _ reader: inout JSONReader, in body: [UInt8]
    ) throws(JSONError) -> [RenewalInformation.Entry] {
        let most = EligibilityEndpoint.maximumMembers
        var entries: [RenewalInformation.Entry] = []
        try reader.array { (reader, index) throws(JSONError) in
            guard index < most else { throw reader.error(.tooManyMembers(limit: most)) }
            let isText = try reader.peek() == .string
            let json = isText ? try reader.text(atMost: .max) : Array(body[try reader.slice()])
            do throws(JSONError) {
                entries += try RenewalInformation(parsing: json, atMost: most - entries.count).entries
            } catch {
                throw reader.error(.invalid("not renewal information: \(error)"))
            }
        }
        return entries
    }

    private static func texts(_ reader: inout JSONReader) throws(JSONError) -> [[UInt8]] {
        try reader.list(atMost: EligibilityEndpoint.maximumMembers) { (reader, _) throws(JSONError) in
            try reader.text(atMost: .max)
        }
    }
}
