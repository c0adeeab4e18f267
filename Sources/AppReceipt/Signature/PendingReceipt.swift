import CReceiptCrypto
import ReceiptASN1
import Synchronization

/// A receipt after all checks that come before the signature check. It can wait for others, because several
/// digests and signatures are computed and checked together in less time.
package final class PendingReceipt: Sendable {
    private let container: [UInt8]
    private let unchecked: Result<UncheckedReceipt, ReceiptError>
    private let verifier: ReceiptVerifier
    private let policy: VerificationPolicy
    private let isProven = Atomic(false)
    private let digests = Mutex<(container: Digest?, content: Digest?)>((nil, nil))

    /// Runs the checks that come before the signature.
    /// - Parameter container: the DER or BER bytes.
    package init(_ container: [UInt8], by verifier: ReceiptVerifier, for policy: VerificationPolicy) {
        (self.container, self.verifier, self.policy) = (container, verifier, policy)
        unchecked = Result { () throws(ReceiptError) in try verifier.unchecked(container: container.span) }
    }

    /// The refusal by the checks that come before the signature check, or nil if the receipt passed them.
    package var refusal: ReceiptError? {
        if case .failure(let refusal) = unchecked { refusal } else { nil }
    }

    /// Computes the SHA-256 of the containers and of contents that were signed with another digest, sixteen at
    /// once if the processor supports it.
    package static func computeDigests(of receipts: [PendingReceipt]) {
        guard let context = receipts.first?.verifier.context else { return }
        var messages = receipts.map { $0.container[...] }
        var others: [PendingReceipt] = []
        for receipt in receipts {
            guard let content = receipt.contentToIdentify else { continue }
            others.append(receipt)
            messages.append(receipt.container[content])
        }
        let digests = context.sha256(ofEach: messages)
        for (receipt, digest) in zip(receipts, digests) { receipt.digests.withLock { $0.container = digest } }
        for (receipt, digest) in zip(others, digests[receipts.count...]) {
            receipt.digests.withLock { $0.content = digest }
        }
    }

    /// The content, if it was signed with another digest than SHA-256.
    private var contentToIdentify: Range<Int>? {
        guard case .success(let receipt) = unchecked, receipt.digestAlgorithm != .sha256,
            !receipt.signedData.eContent.isChunked
        else { return nil }
        return receipt.signedData.eContent.content
    }

    /// The SHA-256 of the container, or nil if ``computeDigests(of:)`` did not compute it or OpenSSL failed.
    package var sha256: [UInt8]? { digests.withLock { $0.container?.bytes } }

    /// The SHA-256 of the content, if ``computeDigests(of:)`` computed it. It proves nothing.
    package var contentSHA256: [UInt8]? { digests.withLock { $0.content?.bytes } }

    /// Checks RSA signatures of receipts, eight at once. Signatures that are not proven to be valid are left to
    /// ``verify()``.
    package static func proveSignatures(of receipts: [PendingReceipt]) {
        let suitable = receipts.compactMap { receipt in receipt.suitable.map { (receipt, $0) } }
        for start in stride(from: 0, to: suitable.count, by: Int(RECEIPT_CRYPTO_LANES)) {
            let group = suitable[start..<min(start + Int(RECEIPT_CRYPTO_LANES), suitable.count)]
            // Checking fewer than three together saves no time.
            if group.count > 2 { prove(group) }
        }
    }

    /// The receipt if its signature can be checked together with others.
    private var suitable: UncheckedReceipt? {
        guard verifier.checksSignaturesTogether, case .success(let receipt) = unchecked,
            receipt.chain.canCheckTogether, !receipt.signedData.signerInfo.signatureAlgorithm.isECDSA
        else { return nil }
        return receipt
    }

    private static func prove(_ receipts: ArraySlice<(PendingReceipt, UncheckedReceipt)>) {
        let signatures = receipts.flatMap { $0.container[$1.signedData.signerInfo.signature] }
        unsafe signatures.span.withUnsafeBufferPointer { bytes in
            var checks: [receipt_crypto_rsa_check] = unsafe []
            var start = 0
            for (_, receipt) in receipts {
                let end = start + receipt.signedData.signerInfo.signature.count
                let signature = unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
                unsafe checks.append(
                    receipt_crypto_rsa_check(
                        chain: receipt.chain.pointer,
                        algorithm: receipt.digestAlgorithm.crypto,
                        digest: receipt.signedDigest.value,
                        signature: receipt_crypto_slice(bytes: signature.baseAddress, count: signature.count),
                        is_accepted: false))
                start = end
            }
            unsafe checks.withUnsafeMutableBufferPointer { checks in
                if let first = checks.baseAddress { unsafe receipt_crypto_accept_rsa(first, checks.count) }
            }
            for (index, (receipt, _)) in receipts.enumerated() where unsafe checks[index].is_accepted {
                receipt.isProven.store(true, ordering: .relaxed)
            }
        }
    }

    /// Whether the signature is proven to be valid. False proves nothing.
    package var hasProvenSignature: Bool { isProven.load(ordering: .relaxed) }

    /// Checks the signature if it is not proven, and then the content, the trust anchor kind and the policy.
    package func verify() throws(ReceiptError) -> VerifiedReceipt {
        let container = container
        let receipt = try verifier.authenticate(
            unchecked.get(), of: container.span, isProven: hasProvenSignature)
        try receipt.require(policy)
        return receipt
    }
}
