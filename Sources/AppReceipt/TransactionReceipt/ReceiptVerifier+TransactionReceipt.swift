import ReceiptASN1

extension ReceiptVerifier {
    /// Verifies the property list of a `SKPaymentTransaction.transactionReceipt`.
    ///
    /// The receipt contains no intermediate, and only Apple's are embedded. With these, it can be verified
    /// only under Apple's root.
    /// - Parameters:
    ///   - list: the property list itself.
    ///   - policy: the verification policy: expected app, environment and device. The receipt's environment
    ///     is not signed, so the receipt counts as naming none.
    ///   - issuers: the intermediates that issue the signers. Only tests use others than Apple's.
    /// - Throws: ``ReceiptError``.
    public func verify(
        transactionReceipt list: [UInt8], for policy: VerificationPolicy,
        issuers: TransactionReceiptIssuers = .apple
    ) throws(ReceiptError) -> VerifiedTransactionReceipt {
        let receipt = try authenticate(transactionReceipt: list, issuers: issuers)
        try receipt.require(policy)
        return receipt
    }

    func authenticate(
        transactionReceipt list: [UInt8], issuers: TransactionReceiptIssuers = .apple
    ) throws(ReceiptError) -> VerifiedTransactionReceipt {
        let bytes = list.span
        guard bytes.count <= limits.signedTextBytes else {
            throw ReceiptError(.tooLarge, .inputTooLarge(limit: limits.signedTextBytes))
        }
        let members = try PropertyList(parsing: bytes, field: "property list")
        let blob = try members.decoded("signature", of: bytes)
        let purchaseInfo = try members.decoded("purchase-info", of: bytes)
        let parts = try TransactionReceiptSignature(parsing: blob.span)
        let info = try PropertyList(parsing: purchaseInfo.span, field: "purchase-info")
        let date = try info.purchaseDate(of: purchaseInfo.span)
        let chain = try anchors.chain(
            ofTransactionReceipt: parts, blob, issuers, limits, at: date, namedChains)
        // The purchase may be older than the receipt, so the date is not that of the signature.
        try chain.requireUnrevoked(at: date, isSigningDate: false, field: "signature.certificate")
        let algorithm = parts.version.digest
        try sha1Signatures.check(algorithm, of: chain, offset: 0, field: "signature")
        let digest = try context.digest(algorithm, of: [parts.version.rawValue].span, purchaseInfo.span)
        guard try chain.verify(blob.span.extracting(parts.signature), of: digest, algorithm) else {
            throw ReceiptError(
                .badSignature, .signatureMismatch, offset: parts.signature.lowerBound, field: "signature")
        }
        // From here on, purchase-info is known to be signed by a trusted authority.
        let receipt = VerifiedTransactionReceipt(
            members: info.members.map { ($0.name, purchaseInfo.span.text($0.text) ?? "") },
            caveats: parts.version == .two ? [.rsa1024] : [], purchaseInstant: date,
            digestAlgorithm: algorithm, chain: chain)
        try receipt.check()
        return receipt
    }
}

extension PropertyList {
    func decoded(_ name: String, of bytes: Span<UInt8>) throws(ReceiptError) -> [UInt8] {
        guard let range = range(name) else {
            throw ReceiptError(.malformed, .transactionReceipt(.memberMissing), field: name)
        }
        var fault = 0
        guard let decoded = StrictBase64.standard.decode(bytes.extracting(range), fault: &fault) else {
            throw ReceiptError(
                .malformed, .transactionReceipt(.base64), offset: range.lowerBound + fault, field: name)
        }
        return decoded
    }
}

extension AnchorStore {
    fileprivate func chain(
        ofTransactionReceipt parts: TransactionReceiptSignature, _ blob: [UInt8],
        _ issuers: TransactionReceiptIssuers, _ limits: ReceiptLimits, at date: Timestamp,
        _ found: NamedChainCache
    ) throws(ReceiptError) -> CertificateChain {
        var bytes = Array(blob[parts.certificate])
        let signer: Certificate
        do throws(ASN1Error) {
            signer = try Certificate(
                whole: bytes.span, in: 0..<bytes.count, maximumCount: limits.certificateBytes)
        } catch {
            throw ReceiptError(
                error.moved(to: parts.certificate.lowerBound + error.offset).within("signature.certificate"))
        }
        guard let anchor = index(of: issuers.root.span, isStoreKitTest: false),
            list[anchor].realm == issuers.realm
        else { throw ReceiptError(.untrustedChain, .notAnAnchor, field: "signature.certificate") }
        var intermediate: Certificate?
        for issuer in issuers.issuers(of: parts.version) where intermediate == nil {
            intermediate = bytes.appendIssuer(issuer, of: signer)
        }
        guard let intermediate else {
            throw ReceiptError(
                .untrustedChain, .signerIssuerUnknown, field: "signature.certificate",
                certificate: CertificateFacts(signer, of: bytes.span, in: context))
        }
        do throws(ReceiptError) {
            return try chain(
                signer: signer, intermediate: intermediate, of: bytes.span, anchor: anchor,
                for: parts.version.purpose, at: date, found)
        } catch {
            throw error.at("signature.certificate")
        }
    }
}

extension [UInt8] {
    /// Appends the issuer's certificate and returns it, if its subject is byte for byte the signer's issuer.
    /// Otherwise, returns nil.
    fileprivate mutating func appendIssuer(_ issuer: [UInt8], of signer: Certificate) -> Certificate? {
        let start = count
        append(contentsOf: issuer)
        let certificate = try? Certificate(whole: span, in: start..<count, maximumCount: issuer.count)
        if let certificate, span.areEqual(certificate.subject, signer.issuer) { return certificate }
        removeLast(issuer.count)
        return nil
    }
}

extension PropertyList {
    /// Reads the purchase date: `purchase-date-ms`, or `purchase-date` in receipts of 2011, which have no
    /// milliseconds.
    fileprivate func purchaseDate(of bytes: Span<UInt8>) throws(ReceiptError) -> Timestamp {
        let (name, read): (String, (String) -> Timestamp?) =
            range("purchase-date-ms") == nil && range("purchase-date") != nil
            ? ("purchase-date", { Timestamp(etcGMT: $0) })
            : ("purchase-date-ms", { Timestamp(millisecondsText: $0) })
        guard let date = range(name).flatMap({ bytes.text($0) }).flatMap(read) else {
            throw ReceiptError(.malformed, .transactionReceipt(.value), field: "purchase-info.\(name)")
        }
        return date
    }
}
