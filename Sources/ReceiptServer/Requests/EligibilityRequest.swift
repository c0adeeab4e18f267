#if Server
    import AppReceipt
    import OfferEligibility
    import StrictJSON

    // {
    //     "evidence": [text, …],
    //     "renewal_info": [text, …],     OPTIONAL
    //     "products": [id, …],           OPTIONAL where a catalogue has them
    //     "as_of": RFC 3339,             OPTIONAL
    //     "catalog": {…}                 OPTIONAL where the server has one
    // }

    /// What is asked about one customer.
    struct EligibilityRequest: Sendable {
        private(set) var evidence: [[UInt8]] = []
        private(set) var renewalInfo: [[UInt8]] = []
        private(set) var products: [String]?
        private(set) var asOf: Timestamp?
        private(set) var catalog: SubscriptionCatalog?

        /// Of evidence, renewal information and products each; a customer has a handful.
        static let most = 1000

        /// - Throws: ``Failure``.
        init(_ body: [UInt8]) throws(Failure) {
            var hasEvidence = false
            do throws(JSONError) {
                var reader = JSONReader(body.span)
                try reader.object { (reader, name) throws(JSONError) in
                    switch name {
                    case "evidence":
                        hasEvidence = true
                        evidence = try Self.texts(&reader)
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
                guard hasEvidence else { throw reader.error(.missing("evidence")) }
            } catch {
                throw .badRequest("\(error)")
            }
            guard !evidence.isEmpty else { throw .badRequest("evidence: is empty") }
        }

        private static func texts(_ reader: inout JSONReader) throws(JSONError) -> [[UInt8]] {
            var texts: [[UInt8]] = []
            try reader.array { (reader, index) throws(JSONError) in
                guard index < most else { throw reader.error(.tooManyMembers(limit: most)) }
                texts.append(try reader.text(atMost: .max))
            }
            return texts
        }
    }
#endif
