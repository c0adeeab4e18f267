package import OfferEligibility
package import StrictJSON

/// The customer that an audit's line describes. The receipts belong to one app and environment. One subject
/// presented them, or other names link them.
package struct CustomerOrigin {
    package var number: Int64
    package var subject: String?
    package var environment: String?
    package var bundleID: String?
    package var realm: String?
    package var receipts: Int
    /// The names that link the receipts. Nil if there is a subject; empty if there is only one receipt.
    package var linkedBy: [CustomerLink]?

    package init(
        number: Int64 = 0, subject: String? = nil, environment: String? = nil, bundleID: String? = nil,
        realm: String? = nil, receipts: Int = 0, linkedBy: [CustomerLink]? = nil
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
            object { json in
                origin.members(&json)
                json.string("unjudged", customer.unjudged ?? CustomerSnapshot.isTooLongBecause)
            }
            self.endLine()
            return try endLine(&self)
        }
        for (verdict, receipts) in zip(verdicts, customer.receipts(of: verdicts)) {
            // The receipts that the introductory offer's verdict rests on: the line in the output of `--ndjson`,
            // from 1, and the record's ID there, or its path.
            var evidence: [(number: Int64, record: String?)] = []
            for receipt in receipts { evidence.append((receipt, try name(receipt))) }
            object { json in
                origin.members(&json)
                json.array("rests_on", evidence) { json, receipt in
                    json.object { json in
                        json.number("number", receipt.number)
                        json.string("record", receipt.record)
                    }
                }
                json.members(of: verdict)
            }
            self.endLine()
            try endLine(&self)
        }
    }
}
