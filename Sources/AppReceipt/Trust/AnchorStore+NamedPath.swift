import CReceiptCrypto

/// The verified chains to a named trust anchor, for JWS and transaction receipts, by a key that identifies purpose, anchor
/// and certificates; see ``AnchorStore/key(of:_:of:prefix:)``.
///
/// A chain is inserted before the signature over the content is verified. Otherwise, each forged JWS with
/// Apple's certificates would cost two checks with P-384 keys. Attackers cannot fill the cache, because
/// Apple's public certificates form the only valid chains that they have.
typealias NamedChainCache = RecentCache<(key: [UInt8], chain: CertificateChain)>

/// The purpose of a signature. Each purpose has its own keys, marker extensions and intermediates.
enum SigningPurpose: UInt8 {
    case receipts, jws, oldTransactionReceipts

    fileprivate var crypto: receipt_crypto_purpose {
        switch self {
        case .receipts: RECEIPT_CRYPTO_RECEIPTS
        case .jws: RECEIPT_CRYPTO_JWS
        case .oldTransactionReceipts: RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS
        }
    }
}

extension AnchorStore {
    /// Returns the index of the trust anchor with exactly these bytes, among the StoreKit Test anchors or
    /// among the others.
    func index(of certificate: Span<UInt8>, isStoreKitTest: Bool) -> Int? {
        for (index, anchor) in list.enumerated() where (anchor.realm == .storeKitTest) == isStoreKitTest {
            if anchor.der.span.isEqual(to: certificate) { return index }
        }
        return nil
    }

    /// Returns the chain of these certificates to this anchor, valid at the given time. No other chain is
    /// possible.
    /// - Parameter found: the cache to look up first, and to insert the chain into.
    func chain(
        signer: Certificate, intermediate: Certificate?, of bytes: Span<UInt8>, anchor: Int,
        for purpose: SigningPurpose, at time: Timestamp, _ found: NamedChainCache
    ) throws(ReceiptError) -> CertificateChain {
        let seconds = time.secondsSince1970
        let candidates = intermediate.map { [$0] } ?? []
        // The second byte of this prefix is 0. For a search, the second byte is the first byte of a
        // certificate, which is not 0.
        let prefix =
            [purpose.rawValue, 0] + (0..<4).map { UInt8(truncatingIfNeeded: anchor >> (24 - 8 * $0)) }
        let key = try key(of: signer, candidates, of: bytes, prefix: prefix)
        let known = found.first {
            $0.key == key && $0.chain.isFound(from: signer, over: candidates, of: bytes, at: time)
        }
        if let known { return known.chain }
        if let refusal = refusals.refusal(of: key, at: time) { throw refusal }
        var error = receipt_crypto_error()
        let chain = unsafe bytes.withUnsafeBufferPointer { buffer in
            var signerParts = unsafe receipt_crypto_certificate_parts(signer, of: buffer)
            let parts = unsafe candidates.map { unsafe receipt_crypto_certificate_parts($0, of: buffer) }
            return unsafe parts.withUnsafeBufferPointer { parts in
                unsafe receipt_crypto_chain_of(
                    pointer, anchor, purpose.crypto, &signerParts, parts.isEmpty ? nil : parts.baseAddress,
                    seconds, &error)
            }
        }
        guard let chain = unsafe chain else {
            let window = (error.first, error.last)
            let facts = facts(ofFault: error, signer, candidates, of: bytes)
            let refusal = ReceiptError(
                &error, limit: RECEIPT_CRYPTO_NAMED_CHECKS, at: time, of: facts)
            refusals.insert(refusal, from: window.0, to: window.1, of: key)
            throw refusal
        }
        let good = try unsafe CertificateChain(
            chain, anchors: self, from: signer, over: intermediate, of: bytes)
        found.insert((key, good)) { $0.key == key && $0.chain.isSame(as: good) }
        return good
    }
}
