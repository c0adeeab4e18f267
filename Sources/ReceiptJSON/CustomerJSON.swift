package import OfferEligibility

/// The customer whom an audit's answer is about: the receipts of one app and environment that one subject presented, or
/// that other names link.
package struct CustomerOrigin {
    fileprivate struct Evidence {
        /// Of the record in the whole input, from 1 on: its line among those of `--ndjson`.
        let number: Int64
        /// Its id there, or its path.
        let record: String?
    }

    private let number: Int64
    private let subject: String?
    private let environment: String?
    private let bundleID: String?
    private let realm: String?
    private let receipts: Int
    private let linkedBy: [CustomerLink]?

    /// - Parameter linkedBy: nil where there is a subject; empty where there is one receipt alone.
    package init(
        number: Int64, subject: String?, environment: String?, bundleID: String?, realm: String?,
        receipts: Int, linkedBy: [CustomerLink]?
    ) {
        (self.number, self.subject, self.environment) = (number, subject, environment)
        (self.bundleID, self.realm, self.receipts) = (bundleID, realm, receipts)
        self.linkedBy = linkedBy
    }

    /// How the lines of any audit begin.
    package static let start = Array(#"{"customer":1,"subject":"#.utf8)

    fileprivate func members(_ json: inout JSONWriter) {
        json.key("customer")
        json.number(number)
        json.key("subject")
        json.string(subject)
        json.key("environment")
        json.string(environment)
        json.key("bundle_id")
        json.string(bundleID)
        json.key("realm")
        json.string(realm)
        json.key("receipts")
        json.number(receipts)
        json.key("linked_by")
        if let linkedBy {
            json.array(linkedBy) { $0.string($1.rawValue) }
        } else {
            json.null()
        }
    }
}

extension JSONWriter {
    /// Writes the lines of one customer: one for each product, or the one that says why there is no verdict.
    /// - Parameters:
    ///   - verdicts: on all that is kept; nil where it is not judged.
    ///   - name: what the record of a receipt is called.
    ///   - endLine: is called behind each line.
    package mutating func customer<Failure: Error>(
        _ origin: CustomerOrigin, _ customer: KeptCustomer, _ verdicts: [ProductVerdict]?,
        name: (Int64) throws(Failure) -> String?,
        endLine: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        guard let verdicts else {
            absence(of: origin, because: customer.unjudged ?? KeptCustomer.isTooLongBecause)
            self.endLine()
            return try endLine(&self)
        }
        for verdict in verdicts {
            var evidence: [CustomerOrigin.Evidence] = []
            for receipt in customer.receipts(of: verdict) {
                evidence.append(CustomerOrigin.Evidence(number: receipt, record: try name(receipt)))
            }
            self.verdict(verdict, of: origin, restingOn: evidence)
            self.endLine()
            try endLine(&self)
        }
    }

    /// Writes the object of one customer and one product.
    /// - Parameter evidence: the receipts that the introductory answer rests on.
    private mutating func verdict(
        _ verdict: ProductVerdict, of customer: CustomerOrigin, restingOn evidence: [CustomerOrigin.Evidence]
    ) {
        object { json in
            customer.members(&json)
            json.key("rests_on")
            json.array(evidence) { json, receipt in
                json.object { json in
                    json.key("number")
                    json.number(receipt.number)
                    json.key("record")
                    json.string(receipt.record)
                }
            }
            json.members(of: verdict)
        }
    }

    /// Writes the object of a customer who is not judged.
    private mutating func absence(of customer: CustomerOrigin, because reason: String) {
        object { json in
            customer.members(&json)
            json.key("unjudged")
            json.string(reason)
        }
    }
}
