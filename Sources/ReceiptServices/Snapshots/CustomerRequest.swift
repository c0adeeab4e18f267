import AppReceipt
package import OfferEligibility
import ReceiptJSON
import StrictJSON

//     {
//         "customer": number,       the number that an audit gives the customer, from 1
//         "receipts": number,       how often evidence was presented; OPTIONAL if each is given
//         "subject": text, "environment": text, "bundle_id": text, "realm": text,     each OPTIONAL
//         "linked_by": ["app_account_token" | "app_transaction_id" | "original_transaction_id", …]
//                                   REQUIRED for several receipts without a subject, otherwise not allowed
//         "evidence_refused": boolean,    whether evidence of the customer was refused; OPTIONAL
//         "evidence": [{"number": number of the answer, from 1, "kept": snapshot}, …]   newest first
//     }

/// A question about one customer whose evidence was verified before and saved as snapshots.
package struct CustomerRequest {
    private let origin: CustomerOrigin
    private let customer: CustomerSnapshot
    private let names: [Int64: String]

    /// The maximum size of a request in bytes. A customer may have 100,000 purchases.
    package static let maximumBytes = 256 << 20

    /// The evidence read so far. It must follow the members that identify the customer.
    private struct Evidence {
        var customer = CustomerSnapshot()
        var names: [Int64: String] = [:]
        var last: (date: Timestamp?, number: Int64)?
        /// The single `appTransactionId` that evidence without a subject may have.
        var account: String?
        var areRenewals = true
        /// Renewal information that does not prove an app.
        private(set) var unplaced: [Int64: CustomerSnapshot.Unplaced] = [:]

        mutating func take(_ object: ObjectSnapshot, number: Int64) {
            let listing = object.subject == nil ? nil : object.listing
            last = (object.createdAt, number)
            areRenewals = areRenewals && object.kind == "renewal-info"
            if object.isUnplaced {
                unplaced[number] = (Array((object.renewal?.originalTransactionID ?? "").utf8), listing)
            }
            let isWanted = customer.take(
                receipt: number, kind: object.kind, createdAt: object.createdAt, content: object.content,
                listing: object.isUnplaced ? nil : listing, account: object.appTransactionID)
            guard isWanted else { return }
            names[number] = object.record
            switch object.kind {
            case "renewal-info": if let renewal = object.renewal { customer.take(renewal) }
            case "app-transaction", "notification", "realtime-request": break
            default: for purchase in object.purchases { customer.take(purchase) }
            }
        }

        /// Returns whether an object may follow the last one in an audit's order: newest first, equal dates
        /// by number, and objects without a date last.
        func mayBeFollowed(by object: ObjectSnapshot, number: Int64) -> Bool {
            guard let last else { return true }
            if last.date == object.createdAt { return last.number < number }
            guard let date = last.date else { return false }
            return object.createdAt.map { $0 < date } ?? true
        }
    }

    /// Reads the evidence.
    /// - Throws: `JSONError` if the evidence is invalid.
    private static func read(_ reader: inout JSONReader, _ origin: CustomerOrigin) throws(JSONError)
        -> Evidence
    {
        var evidence = Evidence()
        try reader.array { (reader, _) throws(JSONError) in
            var number: Int64?
            var object: ObjectSnapshot?
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "number": number = try reader.positive()
                case "kept": object = try ObjectSnapshot(&reader)
                default: throw reader.error(.invalid("unknown member"))
                }
            }
            guard let number else { throw reader.error(.missing("number")) }
            guard let object else { throw reader.error(.missing("kept")) }
            guard origin.isOf(object) else {
                throw reader.error(.invalid("evidence of another customer"))
            }
            let isRenewal = evidence.areRenewals && object.kind == "renewal-info"
            guard origin.isKnown || evidence.customer.count == 0 || origin.isOfRenewals && isRenewal else {
                throw reader.error(
                    .invalid(
                        "cannot be combined with evidence of an unknown app, environment or trust anchor kind"
                    ))
            }
            if origin.subject == nil, let account = object.appTransactionID, !account.isEmpty,
                !account.isExactly("0")
            {
                guard evidence.account == nil || evidence.account.isExactly(account) else {
                    throw reader.error(
                        .invalid("evidence of another customer: app_transaction_id differs"))
                }
                evidence.account = account
            }
            guard evidence.mayBeFollowed(by: object, number: number) else {
                throw reader.error(.invalid("out of order: evidence must be sorted newest first"))
            }
            evidence.take(object, number: number)
        }
        guard evidence.customer.count > 0 else { throw reader.error(.empty) }
        return evidence
    }

    /// Reads a request.
    /// - Throws: `JSONError` if the request is invalid.
    private init(parsing body: [UInt8]) throws(JSONError) {
        var reader = JSONReader(body.span)
        var origin = CustomerOrigin()
        var receipts: Int64?
        var links: Set<CustomerLink> = []
        var evidence: Evidence?
        var anyRefused = false
        try reader.object { (reader, name) throws(JSONError) in
            guard evidence == nil else {
                throw reader.error(.invalid("must follow the customer's other members"))
            }
            switch name.ifASCII {
            case "customer": origin.number = try reader.positive()
            case "receipts": receipts = try reader.positive()
            case "subject": origin.subject = try reader.string(atMost: .max)
            case "environment": origin.environment = try reader.string()
            case "bundle_id": origin.bundleID = try reader.string(atMost: .max)
            case "realm": origin.realm = try reader.string()
            case "linked_by":
                try reader.array { (reader, _) throws(JSONError) in
                    let name = try reader.string()
                    guard let link = CustomerLink(rawValue: name.ifASCII), links.insert(link).inserted else {
                        throw reader.error(.unexpectedValue(String(name.prefix(64))))
                    }
                }
            case "evidence_refused": anyRefused = try reader.bool()
            case "evidence": evidence = try Self.read(&reader, origin)
            default: throw reader.error(.invalid("unknown member"))
            }
        }
        try reader.end()
        guard origin.number > 0 else { throw reader.error(.missing("customer")) }
        guard var evidence else { throw reader.error(.missing("evidence")) }
        if anyRefused { evidence.customer.anyRefused = true }
        let count = receipts ?? Int64(evidence.customer.count)
        guard count >= evidence.customer.count else {
            throw reader.error(.invalid("receipts: fewer than the elements of evidence"))
        }
        let isLinked = origin.subject == nil && count > 1
        guard isLinked || links.isEmpty else {
            throw reader.error(.invalid("linked_by: not allowed with a subject or a single receipt"))
        }
        guard !isLinked || !links.isEmpty else { throw reader.error(.missing("linked_by")) }
        let counted = Int(count) - evidence.customer.settle(evidence.unplaced)
        guard evidence.customer.count > 0 else {
            throw reader.error(.invalid("refused renewal information without its transaction"))
        }
        if counted == 1 { links = [] }
        origin.receipts = counted
        origin.linkedBy = origin.subject == nil ? CustomerLink.allCases.filter(links.contains) : nil
        (self.origin, customer, names) = (origin, evidence.customer, evidence.names)
    }
}

extension CustomerOrigin {
    /// Whether app, environment and trust anchor kind are known. Unknown values never match, so evidence
    /// with an unknown one is not combined with any other.
    fileprivate var isKnown: Bool { environment != nil && bundleID != nil && realm != nil }

    /// Whether the evidence may be only renewal information of one subject, which names no app.
    fileprivate var isOfRenewals: Bool {
        subject != nil && environment != nil && bundleID == nil && realm != nil
    }

    /// Returns whether the evidence belongs to this customer. Renewal information names no app.
    fileprivate func isOf(_ object: ObjectSnapshot) -> Bool {
        subject.isExactly(object.subject) && environment.isExactly(object.environment)
            && realm.isExactly(object.realm)
            && (object.kind == "renewal-info" && object.bundleID == nil
                || bundleID.isExactly(object.bundleID))
    }
}

extension CustomerRequest {
    /// Reads a request.
    /// - Parameter body: A JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure`` with code `bad_request`.
    package init(_ body: [UInt8]) throws(EligibilityFailure) {
        do throws(JSONError) {
            try self.init(parsing: body)
        } catch {
            throw .badRequest("\(error)")
        }
    }

    /// Returns the lines that an audit writes about the customer, each with its line feed.
    package func answer(_ question: EligibilityQuestion) -> [UInt8] {
        var customer = customer
        customer.isOfUnlistedApp = question.rules.catalog.scope(of: origin.bundleID) == nil
        let verdicts = customer.unjudged == nil ? verdicts(question) : nil
        return JSONWriter.text { json in
            json.customer(origin, customer, verdicts, name: { names[$0] }, endLine: { _ in })
        }
    }

    private func verdicts(_ question: EligibilityQuestion) -> [ProductVerdict] {
        let history = customer.history(
            bundleID: origin.bundleID, environment: origin.environment, realm: origin.realm)
        return question.rules.verdicts(
            for: question.rules.products(for: history), in: history, asOf: question.asOf)
    }
}

extension JSONReader {
    fileprivate mutating func positive() throws(JSONError) -> Int64 {
        let number: Int64 = try integer()
        guard number > 0 else { throw error(.integerOutOfRange) }
        return number
    }
}
