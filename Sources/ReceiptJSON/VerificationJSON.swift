package import AppReceipt

extension JSONWriter {
    /// Writes the object of a record that states that it holds no receipt.
    public mutating func absence(of origin: ReceiptOrigin, isAsked: Bool = false) {
        beginStatement()
        object { json in
            json.members(of: origin)
            json.key("sha256")
            json.null()
            json.key("status")
            json.string("absent")
            if isAsked {
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
        case .unsigned(let path):
            key("source")
            string(path)
            key("signed")
            bool(false)
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

    package mutating func refusal(_ refusal: ReceiptError) {
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
        implied { json in
            json.key("signature")
            json.object { json in
                json.key("digest")
                json.string(receipt.digestAlgorithm.rawValue)
                json.key("verified_at")
                json.date(receipt.verifiedAt)
                json.key("chain")
                json.chain(receipt.certificates)
            }
            json.key("receipt")
            json.payload(receipt.payload)
        }
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
        let bytes = payload.bytes
        object { json in
            payload.app.visit(&json, of: bytes)
            json.key("in_app")
            json.array(payload.inAppPurchases) { json, purchase in json.purchase(purchase, in: bytes) }
            json.key("unknown")
            json.array { json in
                payload.forEachUnknownAttribute { json.unknown($0, in: bytes) }
            }
        }
    }

    private mutating func purchase(_ purchase: InAppPurchase, in bytes: [UInt8]) {
        object { json in
            purchase.record.visit(&json, of: bytes)
            json.key("unknown")
            json.array { json in
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

/// Writes the rows of a record as members.
extension JSONWriter: AttributeVisitor {
    @inline(__always)
    package mutating func text(
        _ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8]
    ) {
        key(name)
        guard let range = value.range else { return null() }
        string(utf8: bytes.span.extracting(range))
    }

    @inline(__always)
    package mutating func bytes(
        _ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8]
    ) {
        key(name)
        guard let range = value.range else { return null() }
        hex(bytes.span.extracting(range))
    }

    @inline(__always)
    package mutating func date(_ type: Int64, _ name: StaticString, _ value: Timestamp?) {
        key(name)
        date(value)
    }

    @inline(__always)
    package mutating func identifier(_ type: Int64, _ name: StaticString, _ value: UInt64?) {
        key(name)
        quoted(value)
    }

    @inline(__always)
    package mutating func integer(_ type: Int64, _ name: StaticString, _ value: Int64?) {
        key(name)
        number(value)
    }

    @inline(__always)
    package mutating func flag(_ type: Int64, _ name: StaticString, _ value: Bool?) {
        key(name)
        bool(value)
    }

    @inline(__always)
    package mutating func productType(_ type: Int64, _ name: StaticString, _ value: InAppProductType?) {
        key(name)
        string(value?.name)
    }
}
