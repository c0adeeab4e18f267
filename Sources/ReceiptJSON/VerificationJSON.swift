package import AppReceipt
public import ReceiptExamination
public import StrictJSON

extension JSONWriter {
    /// Writes the object of a record that states that it holds no receipt.
    public mutating func absence(of origin: ReceiptOrigin, isAsked: Bool = false) {
        beginStatement()
        object { json in
            json.members(of: origin)
            json.null("sha256")
            json.string("status", "absent")
            if isAsked {
                json.null("eligibility")
            }
        }
    }

    mutating func members(of origin: ReceiptOrigin) {
        switch origin {
        case .source(let path):
            string("source", path)
        case .unsigned(let path):
            string("source", path)
            bool("signed", false)
        case .record(let id, let subject):
            string("id", id)
            if let subject {
                string("subject", subject)
            }
        case .tokens(let id, let subject):
            key("id")
            raw(id)
            if let subject {
                key("subject")
                raw(subject)
            }
        case .unreadable(let line):
            null("id")
            number("line", line)
        }
    }

    package mutating func refusal(_ refusal: ReceiptError) {
        object("refusal") { json in
            json.string("code", refusal.code.rawValue)
            json.string("message", refusal.message)
            json.number("offset", refusal.offset)
            json.string("field", refusal.field)
        }
    }

    mutating func members(of receipt: VerifiedReceipt) {
        string("status", "genuine")
        string("realm", receipt.realm.rawValue)
        string("environment", receipt.payload.environment?.rawValue)
        revocation(receipt.revocation)
        implied { json in
            json.object("signature") { json in
                json.string("digest", receipt.digestAlgorithm.rawValue)
                json.date("verified_at", receipt.verifiedAt)
                json.key("chain")
                json.chain(receipt.certificates)
            }
            json.key("receipt")
            json.payload(receipt.payload)
        }
    }

    mutating func revocation(_ status: RevocationStatus) {
        key("revocation")
        if status == .notChecked { raw(Self.notChecked) } else { text(of: status) }
    }

    /// The text of most results, which is not written again for each.
    private static let notChecked = JSONWriter.text { $0.text(of: .notChecked) }

    private mutating func text(of status: RevocationStatus) {
        object { json in
            json.string("status", status.outcome.rawValue)
            json.date("as_of", status.asOf)
            json.array("caveats", status.caveats) { $0.string($1.rawValue) }
        }
    }

    mutating func chain(_ certificates: [CertificateFacts]) {
        if let last = repeated as? ChainText, last.certificates == certificates { return raw(last.text) }
        let text = JSONWriter.text { json in
            json.array(certificates) { json, certificate in json.certificate(certificate) }
        }
        repeated = ChainText(certificates, text)
        raw(text)
    }

    private mutating func certificate(_ certificate: CertificateFacts) {
        object { json in
            json.string("subject", certificate.subject)
            json.string("issuer", certificate.issuer)
            json.string("serial", certificate.serialNumber)
            json.date("not_before", certificate.notBefore)
            json.date("not_after", certificate.notAfter)
            json.hex("sha256", certificate.sha256)
        }
    }

    private mutating func payload(_ payload: ReceiptPayload) {
        let bytes = payload.bytes
        object { json in
            payload.app.visit(&json, of: bytes)
            json.array("in_app", payload.inAppPurchases) { json, purchase in
                json.purchase(purchase, in: bytes)
            }
            json.array("unknown") { json in
                payload.forEachUnknownAttribute { json.unknown($0, in: bytes) }
            }
        }
    }

    private mutating func purchase(_ purchase: InAppPurchase, in bytes: [UInt8]) {
        object { json in
            purchase.record.visit(&json, of: bytes)
            json.array("unknown") { json in
                purchase.forEachUnknownAttribute { json.unknown($0, in: bytes) }
            }
        }
    }

    /// Writes an unknown attribute. A receipt has about 50 of them, so the writer reserves memory once for
    /// each.
    private mutating func unknown(_ attribute: ReceiptAttribute, in bytes: [UInt8]) {
        let value = bytes.span.extracting(attribute.value)
        separate()
        unsafe write(atMost: Self.unknownCapacity + 2 * value.count) { end in
            unsafe end.store("{\"type\":")
            unsafe end.store(decimal: attribute.type)
            unsafe end.store(",\"version\":")
            unsafe end.store(decimal: attribute.version)
            unsafe end.store(",\"value\":\"")
            unsafe end.store(hexadecimal: value)
            unsafe end.store("\"}")
        }
    }

    /// The maximum size of an unknown attribute without its value, in bytes: names, punctuation and two
    /// numbers.
    private static var unknownCapacity: Int { 32 + 2 * decimalCapacity }
}

/// The JSON of a certificate chain. Most receipts of a run have the same chain.
private final class ChainText {
    let certificates: [CertificateFacts]
    let text: [UInt8]

    init(_ certificates: [CertificateFacts], _ text: [UInt8]) {
        (self.certificates, self.text) = (certificates, text)
    }
}

/// Writes the rows of a record as members.
extension JSONWriter: AttributeVisitor {
    @inline(__always)
    package mutating func visit(
        _ type: Int64, _ name: StaticString, _ value: AttributeRow.Value, of bytes: [UInt8]
    ) {
        switch value {
        case .text(let slice):
            key(name)
            guard let range = slice.range else { return null() }
            string(utf8: bytes.span.extracting(range))
        case .bytes(let slice):
            key(name)
            guard let range = slice.range else { return null() }
            hex(bytes.span.extracting(range))
        case .date(let date): self.date(name, date)
        case .identifier(let number): quoted(name, number)
        case .integer(let number): self.number(name, number)
        case .flag(let flag): bool(name, flag)
        case .productType(let type): string(name, type?.name)
        case .string(let text): string(name, text)
        }
    }
}
