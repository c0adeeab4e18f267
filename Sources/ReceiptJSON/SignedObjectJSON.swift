import AppReceipt
public import OfferEligibility

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
        beginStatement()
        object { json in
            json.members(of: origin, at: examination.place)
            if origin.isUnreadable {
                // An unreadable record has no bytes to hash and nothing to evaluate.
            } else {
                json.key("sha256")
                json.hex(examination.sha256)
            }
            // Only lines of receipts contain this digest. The transaction identifies a JWS.
            if case .success(.receipt) = examination.result, let digest = examination.contentSHA256 {
                json.key("content_sha256")
                json.hex(digest)
            }
            if !examination.wrapping.isEmpty {
                json.key("wrapping")
                json.array(examination.wrapping) { $0.string($1) }
            }
            switch examination.result {
            case .success(let object): json.members(of: object)
            case .failure(let refusal): json.members(of: refusal, format: examination.format)
            }
            if let verdicts {
                json.key("eligibility")
                json.array(verdicts) { json, verdict in json.verdict(verdict) }
            } else if isAsked, !origin.isUnreadable {
                json.key("eligibility")
                json.null()
            }
        }
    }

    /// Writes the origin and the place of an object. For a file, the place follows the source's name. For a
    /// record, it is a separate member, so the ID stays unchanged.
    private mutating func members(of origin: ReceiptOrigin, at place: String) {
        guard !place.isEmpty else { return members(of: origin) }
        if case .source(let path) = origin { return members(of: .source(path + place)) }
        members(of: origin)
        key("path")
        string(String(place.dropFirst()))
    }

    private mutating func members(of refusal: ReceiptError, format: SignedFormat?) {
        key("status")
        string("refused")
        // Lines of PKCS #7 receipts name no format, because they were once the only format. Lines of input
        // without a known format name none either.
        if let format, format != .pkcs7 {
            key("format")
            string(format.rawValue)
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
            json.key("caveats")
            json.array(receipt.caveats) { $0.string($1.rawValue) }
            json.key("transaction")
            json.object { json in
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
        key("status")
        string("genuine")
        key("format")
        string(format.rawValue)
        key("kind")
        string("\(kind)")
        key("realm")
        string(object.realm.rawValue)
        key("environment")
        string(object.environment?.rawValue)
        implied { json in
            json.key("signature")
            json.object { json in
                json.key("algorithm")
                json.string(algorithm)
                json.key("digest")
                json.string(digest.rawValue)
                json.key("verified_at")
                json.date(object.verifiedAt)
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
            json.key("quantity")
            json.number(purchase.quantity)
            json.key("product_id")
            json.string(purchase.productID)
            json.key("product_type")
            json.string(purchase.productType?.name)
            json.key("transaction_id")
            json.string(purchase.transactionID)
            json.key("original_transaction_id")
            json.string(purchase.originalTransactionID)
            json.key("purchase_date")
            json.date(purchase.purchaseDate)
            json.key("original_purchase_date")
            json.date(purchase.originalPurchaseDate)
            json.key("expires_date")
            json.date(purchase.expiresDate)
            json.key("cancellation_date")
            json.date(purchase.cancellationDate)
            json.key("cancellation_reason")
            json.number(purchase.cancellationReason)
            json.key("is_trial_period")
            json.bool(purchase.isTrialPeriod)
            json.key("is_in_intro_offer_period")
            json.bool(purchase.isInIntroOfferPeriod)
            json.key("promotional_offer_identifier")
            json.string(purchase.promotionalOfferIdentifier)
            json.key("web_order_line_item_id")
            json.string(webOrderLineItemID)
            json.key("subscription_group_identifier")
            json.string(group)
        }
    }
}
