package import OfferEligibility
package import StrictJSON

/// The customer that an audit's line describes. The receipts belong to one app and environment. One subject
/// presented them, or other names link them.
package struct CustomerOrigin {
    fileprivate struct Evidence {
        /// The number of the record in the whole input, from 1: the number of its line in the output of
        /// `--ndjson`.
        let number: Int64
        /// The ID of the record in that output, or its path.
        let record: String?
    }

    private let number: Int64
    private let subject: String?
    private let environment: String?
    private let bundleID: String?
    private let realm: String?
    private let receipts: Int
    private let linkedBy: [CustomerLink]?

    /// Creates the origin of a customer's lines.
    /// - Parameter linkedBy: The names that link the receipts. Nil if there is a subject; empty if there is
    ///   only one receipt.
    package init(
        number: Int64, subject: String?, environment: String?, bundleID: String?, realm: String?,
        receipts: Int, linkedBy: [CustomerLink]?
    ) {
        (self.number, self.subject, self.environment) = (number, subject, environment)
        (self.bundleID, self.realm, self.receipts) = (bundleID, realm, receipts)
        self.linkedBy = linkedBy
    }

    /// Returns whether the bytes begin like a line about a customer. The number of the first line is not
    /// always 1, because some customers have no line.
    package static func isStart(of bytes: [UInt8]) -> Bool {
        let name = #"{"customer":"#.utf8
        guard bytes.starts(with: name) else { return false }
        return bytes.dropFirst(name.count).drop { (0x30...0x39).contains($0) }
            .starts(with: #","subject":"#.utf8)
    }

    fileprivate func members(_ json: inout JSONWriter) {
        json.number("customer", number)
        json.string("subject", subject)
        json.string("environment", environment)
        json.string("bundle_id", bundleID)
        json.string("realm", realm)
        json.number("receipts", receipts)
        json.key("linked_by")
        if let linkedBy {
            json.array(linkedBy) { $0.string($1.rawValue) }
        } else {
            json.null()
        }
    }
}

extension JSONWriter {
    /// Writes the lines of one customer: one line per product, or one line with the reason why there is no
    /// verdict.
    /// - Parameters:
    ///   - verdicts: The verdicts on the snapshot, or nil if the customer is not evaluated.
    ///   - name: A closure that returns the name of a receipt's record.
    ///   - endLine: A closure that is called after each line.
    package mutating func customer<Failure: Error>(
        _ origin: CustomerOrigin, _ customer: CustomerSnapshot, _ verdicts: [ProductVerdict]?,
        name: (Int64) throws(Failure) -> String?,
        endLine: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        guard let verdicts else {
            absence(of: origin, because: customer.unjudged ?? CustomerSnapshot.isTooLongBecause)
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
    /// - Parameter evidence: The receipts that the introductory offer's verdict rests on.
    private mutating func verdict(
        _ verdict: ProductVerdict, of customer: CustomerOrigin, restingOn evidence: [CustomerOrigin.Evidence]
    ) {
        object { json in
            customer.members(&json)
            json.array("rests_on", evidence) { json, receipt in
                json.object { json in
                    json.number("number", receipt.number)
                    json.string("record", receipt.record)
                }
            }
            json.members(of: verdict)
        }
    }

    /// Writes the object of a customer that is not evaluated.
    private mutating func absence(of customer: CustomerOrigin, because reason: String) {
        object { json in
            customer.members(&json)
            json.string("unjudged", reason)
        }
    }
}
