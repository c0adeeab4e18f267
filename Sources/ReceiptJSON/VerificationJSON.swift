import AppReceipt
public import OfferEligibility

extension JSONWriter {
    /// Writes the object of `verify --json`.
    /// - Parameters:
    ///   - verdicts: what a catalogue's rules say of the receipt; nil where it was refused or nothing was asked.
    ///   - isAsked: whether there is a catalogue.
    public mutating func verification(
        _ examination: Examination, of origin: ReceiptOrigin, verdicts: [ProductVerdict]? = nil,
        isAsked: Bool = false
    ) {
        object { json in
            json.members(of: origin)
            if origin.isUnreadable {
                // There is no receipt that could have a digest, or be eligible.
            } else {
                json.key("sha256")
                json.hex(examination.sha256)
            }
            switch examination.result {
            case .success(let receipt): json.members(of: receipt)
            case .failure(let refusal): json.members(of: refusal)
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

    mutating func members(of origin: ReceiptOrigin) {
        switch origin {
        case .source(let path):
            key("source")
            string(path)
        case .record(let id, let subject):
            key("id")
            string(id)
            if let subject {
                key("subject")
                string(subject)
            }
        case .tokens(let id, let subject):
            key("id")
            raw(id)
            if let subject {
                key("subject")
                raw(subject)
            }
        case .unreadable(let line):
            key("id")
            null()
            key("line")
            number(line)
        }
    }

    mutating func members(of refusal: Refusal) {
        key("status")
        string("refused")
        self.refusal(refusal)
    }

    mutating func refusal(_ refusal: Refusal) {
        key("refusal")
        object { json in
            json.key("code")
            json.string(refusal.code.rawValue)
            json.key("message")
            json.string(refusal.message)
            json.key("offset")
            json.number(refusal.offset)
            json.key("field")
            json.string(refusal.field)
        }
    }

    mutating func members(of receipt: VerifiedReceipt) {
        key("status")
        string("genuine")
        key("realm")
        string(receipt.realm.rawValue)
        key("environment")
        string(receipt.payload.environment?.rawValue)
        key("signature")
        object { json in
            json.key("digest")
            json.string(receipt.digestAlgorithm.rawValue)
            json.key("verified_at")
            json.date(receipt.verifiedAt)
            json.key("chain")
            json.chain(receipt.certificates)
        }
        key("receipt")
        payload(receipt.payload)
    }

    mutating func chain(_ certificates: [CertificateFacts]) {
        if let lastChain, lastChain.certificates == certificates { return raw(lastChain.text) }
        let text = JSONWriter.text { json in
            json.array(certificates) { json, certificate in json.certificate(certificate) }
        }
        lastChain = (certificates, text)
        raw(text)
    }

    private mutating func certificate(_ certificate: CertificateFacts) {
        object { json in
            json.key("subject")
            json.string(certificate.subject)
            json.key("issuer")
            json.string(certificate.issuer)
            json.key("serial")
            json.string(certificate.serialNumber)
            json.key("not_before")
            json.date(certificate.notBefore)
            json.key("not_after")
            json.date(certificate.notAfter)
            json.key("sha256")
            json.hex(certificate.sha256)
        }
    }

    private mutating func payload(_ payload: ReceiptPayload) {
        let app = payload.app
        let bytes = payload.bytes
        object { json in
            json.key("receipt_type")
            json.string(app.receiptType, in: bytes)
            json.key("bundle_id")
            json.string(app.bundleID, in: bytes)
            json.key("application_version")
            json.string(app.applicationVersion, in: bytes)
            json.key("original_application_version")
            json.string(app.originalApplicationVersion, in: bytes)
            json.key("receipt_creation_date")
            json.date(app.creationDate)
            json.key("original_purchase_date")
            json.date(app.originalPurchaseDate.value)
            json.key("expiration_date")
            json.date(app.expirationDate.value)
            json.key("app_item_id")
            json.quoted(app.appItemID)
            json.key("download_id")
            json.quoted(app.downloadID)
            json.key("version_external_identifier")
            json.quoted(app.versionExternalIdentifier)
            json.key("opaque_value")
            json.hex(app.opaqueValue, in: bytes)
            json.key("sha1_hash")
            json.hex(app.sha1Hash, in: bytes)
            json.key("in_app")
            json.array(payload.inAppPurchases) { json, purchase in json.purchase(purchase, in: bytes) }
            json.key("unknown")
            json.array { json in
                payload.forEachUnknownAttribute { json.unknown($0, in: bytes) }
            }
        }
    }

    private mutating func purchase(_ purchase: InAppPurchase, in bytes: [UInt8]) {
        let record = purchase.record
        object { json in
            json.key("quantity")
            json.number(record.quantity)
            json.key("product_id")
            json.string(record.productID, in: bytes)
            json.key("product_type")
            json.string(purchase.productType?.name)
            json.key("transaction_id")
            json.string(record.transactionID, in: bytes)
            json.key("original_transaction_id")
            json.string(record.originalTransactionID, in: bytes)
            json.key("purchase_date")
            json.date(record.purchaseDate.value)
            json.key("original_purchase_date")
            json.date(record.originalPurchaseDate.value)
            json.key("expires_date")
            json.date(record.expiresDate.value)
            json.key("cancellation_date")
            json.date(record.cancellationDate.value)
            json.key("cancellation_reason")
            json.number(record.cancellationReason)
            json.key("is_trial_period")
            json.bool(record.isTrialPeriod)
            json.key("is_in_intro_offer_period")
            json.bool(record.isInIntroOfferPeriod)
            json.key("promotional_offer_identifier")
            json.string(record.promotionalOfferIdentifier, in: bytes)
            json.key("web_order_line_item_id")
            json.quoted(record.webOrderLineItemID)
            json.key("unknown")
            json.array { json in
                purchase.forEachUnknownAttribute { json.unknown($0, in: bytes) }
            }
        }
    }

    private mutating func unknown(_ attribute: ReceiptAttribute, in bytes: [UInt8]) {
        object { json in
            json.key("type")
            json.number(attribute.type)
            json.key("version")
            json.number(attribute.version)
            json.key("value")
            json.hex(bytes.span.extracting(attribute.value))
        }
    }

    private mutating func string(_ slice: PayloadSlice, in bytes: [UInt8]) {
        guard let range = slice.range else { return null() }
        string(utf8: bytes.span.extracting(range))
    }

    private mutating func hex(_ slice: PayloadSlice, in bytes: [UInt8]) {
        guard let range = slice.range else { return null() }
        hex(bytes.span.extracting(range))
    }
}
