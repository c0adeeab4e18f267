import StrictJSON

extension ReceiptVerifier {
    /// Verifies a compact JWS of the App Store, or of StoreKit Test if its certificate is trusted.
    func payload(ofJWS text: Span<UInt8>) throws(ReceiptError) -> SignedPayload {
        let compact = try CompactJWS(text, limits: limits)
        let signature = try compact.signatureBytes(of: text)
        var payload = try JWSPayload(parsing: compact.bytes(compact.payload, of: text, field: "payload"))

        let headerText = text.extracting(compact.header)
        let cached = headers.first { entry in
            entry.chain.isFound(at: payload.date) && entry.header.span.isEqual(to: headerText)
        }?.chain
        let chain: CertificateChain
        if let cached {
            chain = cached
        } else {
            let header = try compact.bytes(compact.header, of: text, field: "header")
            chain = try anchors.chain(
                of: try JWSHeader(parsing: header.span, limits: limits), at: payload.date, namedChains)
        }
        try chain.requireUnrevoked(at: payload.date, field: "header.x5c")
        let digest = try context.digest(.sha256, of: text.extracting(compact.signingInput))
        guard try chain.verifyES256(signature.span, of: digest) else {
            throw ReceiptError(
                .badSignature, .signatureMismatch, offset: compact.signature.lowerBound, field: "signature")
        }
        if cached == nil {
            let header = headerText.copy(0..<headerText.count)
            headers.insert((header, chain)) { $0.header == header }
        }

        // From here on, the payload is known to be signed by a trusted authority.
        try payload.check(in: chain.realm)
        return SignedPayload(payload: payload, chain: chain)
    }
}

extension AnchorStore {
    /// Returns the chain of a header. It consists of signer, intermediate and a trusted root, or only of the
    /// StoreKit Test certificate. The root must equal a trusted root byte for byte, although its signature is
    /// not needed. Otherwise, a JWS could contain bytes in its place that are neither signed nor read.
    func chain(
        of header: JWSHeader, at time: Timestamp, _ found: NamedChainCache
    ) throws(ReceiptError) -> CertificateChain {
        let certificates = header.certificates
        let isStoreKitTest = certificates.count == JWSHeader.storeKitTestCount
        guard let signer = certificates.first, let last = certificates.last,
            let anchor = index(of: header.bytes.span.extracting(last.der), isStoreKitTest: isStoreKitTest)
        else {
            throw ReceiptError(
                .untrustedChain, .notAnAnchor, field: "header.x5c[\(certificates.count - 1)]")
        }
        do throws(ReceiptError) {
            return try chain(
                signer: signer, intermediate: isStoreKitTest ? nil : certificates[1], of: header.bytes.span,
                anchor: anchor, for: .jws, at: time, found)
        } catch {
            throw error.at("header.x5c")
        }
    }
}
