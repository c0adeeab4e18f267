import CReceiptCrypto

extension SignedData {
    /// Returns the certificate that SignerInfo names by issuer and serial number. It may have any position in
    /// the container.
    func signer(in bytes: Span<UInt8>) throws(ReceiptError) -> Certificate {
        var found: Certificate?
        for certificate in certificates
        where bytes.areEqual(certificate.serialNumber, signerInfo.serialNumber)
            && bytes.areEqual(certificate.issuer, signerInfo.issuer)
        {
            // A duplicate is harmless, but two different certificates with the same issuer and serial number
            // indicate an attack.
            if let found, !bytes.areEqual(found.der, certificate.der) {
                throw ReceiptError(
                    .malformed, .signerAmbiguous, offset: certificate.der.lowerBound, field: "certificates")
            }
            found = certificate
        }
        guard let found else {
            throw ReceiptError(
                .untrustedChain, .signerNotFound, offset: signerInfo.sidOffset, field: "signerInfos[0].sid")
        }
        return found
    }

    /// Returns the other certificates whose subject is the signer's issuer. Names are compared byte by byte.
    /// Apple's authority writes both names, so normalization is not necessary.
    func issuers(of signer: Certificate, in bytes: Span<UInt8>) -> [Certificate] {
        var issuers: [Certificate] = []
        for candidate in certificates
        where bytes.areEqual(candidate.subject, signer.issuer) && !bytes.areEqual(candidate.der, signer.der) {
            // Skips duplicates, because each candidate costs a search.
            if issuers.contains(where: { bytes.areEqual($0.der, candidate.der) }) { continue }
            issuers.append(candidate)
        }
        return issuers
    }
}

extension Span<UInt8> {
    func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        extracting(left).isEqual(to: extracting(right))
    }

    func isEqual(to other: Span<UInt8>) -> Bool {
        unsafe withSlice { left in
            unsafe other.withSlice { right in unsafe receipt_crypto_same(left, right) }
        }
    }
}
