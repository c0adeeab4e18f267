import CReceiptCrypto

extension AnchorStore {
    /// Checks that OpenSSL's own PKCS #7 code verifies the container at that time, with the same content.
    ///
    /// OpenSSL decodes all certificates that it receives, and an attacker can add certificates to a
    /// container. So it receives only the certificates of the chain. All other bytes are those of the
    /// container.
    func crossCheck(
        on signedData: SignedData, of bytes: Span<UInt8>, content: Span<UInt8>, with chain: CertificateChain,
        at time: Timestamp
    ) throws(ReceiptError) {
        let container = signedData.container(of: bytes, with: chain.encodings)
        try crossCheck(on: container.span, content: content, at: time)
    }

    /// Checks that OpenSSL's own PKCS #7 code verifies the container at that time, with the same content.
    func crossCheck(
        on container: Span<UInt8>, content: Span<UInt8>, at time: Timestamp
    ) throws(ReceiptError) {
        var error = receipt_crypto_error()
        let status = unsafe container.withSlice { container in
            unsafe content.withSlice { content in
                unsafe receipt_crypto_cross_check(
                    pointer, container, content, time.secondsSince1970, &error)
            }
        }
        guard status == RECEIPT_CRYPTO_OK else { throw ReceiptError(crossCheck: &error) }
    }
}

extension SignedData {
    /// Returns the same container with other certificates.
    func container(of bytes: Span<UInt8>, with certificates: [[UInt8]]) -> [UInt8] {
        // Writes from the end to the start, because each length counts the bytes that follow it.
        var container = certificates.joined() + signerInfos.map { bytes[$0] }
        container = derHeader(0xA0, certificates.reduce(0) { $0 + $1.count }) + container
        container = headFields.map { bytes[$0] } + container
        container = derHeader(0x30, container.count) + container
        container = derHeader(0xA0, container.count) + container
        // contentType, RFC 5652, 5.1
        container = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2] + container
        return derHeader(0x30, container.count) + container
    }
}

/// Returns identifier and length octets in DER.
func derHeader(_ tag: UInt8, _ count: Int) -> [UInt8] {
    if count < 0x80 { return [tag, UInt8(count)] }
    let octets = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(octets.count)] + octets
}
