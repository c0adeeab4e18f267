import AppReceipt
public import OfferEligibility
public import ReceiptExamination
public import StrictJSON

extension JSONWriter {
    /// Writes the line of `verify --json` for one signed object.
    /// - Parameters:
    ///   - examination: The result for the object, with its place in the input.
    ///   - source: The name of the input in the line.
    public mutating func verification(_ examination: Examination, of source: String) {
        verification(examination, of: .source(source))
    }

    /// Writes the line of `verify --json` or `audit --ndjson` for one signed object.
    /// - Parameters:
    ///   - examination: The result for the object, with its place in the input.
    ///   - origin: The source or record of the input.
    ///   - verdicts: The verdicts on the object. Nil if it contains no purchase or there was no question.
    ///   - isAsked: Whether there is a catalog.
    public mutating func verification(
        _ examination: Examination, of origin: ReceiptOrigin, verdicts: [ProductVerdict]? = nil,
        isAsked: Bool = false
    ) {
        verification(examination, of: origin, verdicts: verdicts, isAsked: isAsked, verdictBytes: .max)
    }

    /// Writes the same line. Stops after the first verdict that exceeds a limit.
    /// - Parameter limit: The maximum number of bytes of the verdicts.
    /// - Returns: The number of bytes of the verdicts.
    @discardableResult
    mutating func verification(
        _ examination: Examination, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?, isAsked: Bool,
        verdictBytes limit: Int
    ) -> Int {
        var bytes = 0
        beginStatement()
        object { json in
            json.members(of: origin, at: examination.place)
            if origin.isUnreadable {
                // An unreadable record has no bytes to hash and nothing to evaluate.
            } else {
                json.hex("sha256", examination.sha256)
            }
            // Only lines of receipts contain this digest. The transaction identifies a JWS.
            if case .success(.receipt) = examination.result, let digest = examination.contentSHA256 {
                json.hex("content_sha256", digest)
            }
            if !examination.wrapping.isEmpty {
                json.array("wrapping", examination.wrapping) { $0.string($1) }
            }
            switch (examination.result, examination.foreign) {
            case (_, let kind?):
                json.string("status", "foreign")
                json.string("kind", kind.rawValue)
            case (.success(let object), nil): json.members(of: object)
            case (.failure(let refusal), nil): json.members(of: refusal, format: examination.format)
            }
            if let verdicts {
                let start = json.count
                json.array("eligibility", verdicts) { json, verdict in
                    guard json.count - start <= limit else { return }
                    json.verdict(verdict)
                }
                bytes = json.count - start
            } else if isAsked, !origin.isUnreadable {
                json.null("eligibility")
            }
        }
        return bytes
    }

    /// Writes the origin and the place of an object. For a file, the place follows the source's name. For a
    /// record, it is a separate member, so the ID stays unchanged.
    private mutating func members(of origin: ReceiptOrigin, at place: String) {
        guard !place.isEmpty else { return members(of: origin) }
        if case .source(let path) = origin { return members(of: .source(path + place)) }
        members(of: origin)
        string("path", String(Substring(place.utf8.dropFirst())))
    }

    private mutating func members(of refusal: ReceiptError, format: SignedFormat?) {
        string("status", "refused")
        // Lines of PKCS #7 receipts name no format, because they were once the only format. Lines of input
        // without a known format name none either.
        if let format, format != .pkcs7 {
            string("format", format.rawValue)
        }
        self.refusal(refusal)
    }

    private mutating func members(of object: VerifiedObject) {
        switch object {
        case .receipt(let receipt): members(of: receipt)
        case .transaction(let transaction):
            members(ofJWS: transaction, "transaction") { json in
                json.key("in_app")
                json.inApp(
                    transaction, webOrderLineItemID: transaction.webOrderLineItemID,
                    group: transaction.subscriptionGroupIdentifier)
            }
        case .renewalInfo(let information): members(ofJWS: information, "renewal_info")
        case .appTransaction(let transaction): members(ofJWS: transaction, "app_transaction")
        case .notification(let notification): members(ofJWS: notification, "notification")
        case .realtimeRequest(let request): members(ofJWS: request, "realtime_request")
        case .transactionReceipt(let receipt): members(of: receipt)
        }
    }

    private mutating func members(
        ofJWS object: some VerifiedJWS, _ name: StaticString, _ others: (inout JSONWriter) -> Void = { _ in }
    ) {
        members(of: object, format: .jws, kind: name, algorithm: "ES256", digest: .sha256) { json in
            json.key(name)
            json.json(object.signed.json.span)
            others(&json)
        }
    }

    private mutating func members(of receipt: VerifiedTransactionReceipt) {
        members(
            of: receipt, format: .transactionReceipt, kind: "transaction",
            algorithm: receipt.digestAlgorithm.rawValue + "WithRSAEncryption",
            digest: receipt.digestAlgorithm
        ) { json in
            json.array("caveats", receipt.caveats) { $0.string($1.rawValue) }
            json.object("transaction") { json in
                for (name, text) in receipt.members {
                    json.key(text: name)
                    json.string(text)
                }
            }
            json.key("in_app")
            json.inApp(
                receipt, webOrderLineItemID: receipt.webOrderLineItemID,
                group: receipt.subscriptionGroupIdentifier)
        }
    }

    /// Writes the members of a genuine object.
    /// - Parameter others: The closure that writes the object's content, after the signature.
    private mutating func members(
        of object: some SignedObject, format: SignedFormat, kind: StaticString, algorithm: String,
        digest: DigestAlgorithm, _ others: (inout JSONWriter) -> Void
    ) {
        string("status", "genuine")
        string("format", format.rawValue)
        string("kind", "\(kind)")
        string("realm", object.realm.rawValue)
        string("environment", object.environment?.rawValue)
        revocation(object.revocation)
        implied { json in
            json.object("signature") { json in
                json.string("algorithm", algorithm)
                json.string("digest", digest.rawValue)
                json.date("verified_at", object.verifiedAt)
                json.key("chain")
                json.chain(object.certificates)
            }
            others(&json)
        }
    }

    /// Writes the purchase with the member names of a receipt.
    private mutating func inApp(
        _ purchase: some AppStorePurchase, webOrderLineItemID: String?, group: String?
    ) {
        object { json in
            purchase.visit(&json, webOrderLineItemID: webOrderLineItemID)
            json.string("subscription_group_identifier", group)
        }
    }
}
