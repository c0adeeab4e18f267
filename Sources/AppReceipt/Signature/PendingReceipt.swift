import CReceiptCrypto
import Synchronization

/// A receipt that passed all checks that come before the signature check. It can wait for others, because
/// several signatures are checked together in less time.
package final class PendingReceipt: Sendable {
    private let container: [UInt8]
    private let unchecked: UncheckedReceipt
    private let verifier: ReceiptVerifier
    private let policy: VerificationPolicy
    private let isProven = Atomic(false)
    private let digest = Mutex<Digest?>(nil)

    /// Runs the checks that come before the signature.
    /// - Parameter container: the DER or BER bytes.
    package init(
        _ container: [UInt8], by verifier: ReceiptVerifier, for policy: VerificationPolicy
    ) throws(ReceiptError) {
        (self.container, self.verifier, self.policy) = (container, verifier, policy)
        unchecked = try verifier.unchecked(container: container.span)
    }

    /// Computes the SHA-256 of the containers, two at once if the processor supports it.
    package static func computeDigests(of receipts: [PendingReceipt]) {
        // Two containers of similar lengths take the least time.
        var rest = receipts.sorted { $0.container.count < $1.container.count }[...]
        while let first = rest.popFirst() {
            if let second = rest.first,
                let (one, other) = Digest.sha256(of: first.container, second.container)
            {
                rest.removeFirst()
                first.digest.withLock { $0 = one }
                second.digest.withLock { $0 = other }
            } else {
                let container = first.container
                let digest = try? first.verifier.context.digest(.sha256, of: container.span)
                first.digest.withLock { $0 = digest }
            }
        }
    }

    /// The SHA-256 of the container, or nil if ``computeDigests(of:)`` did not compute it or OpenSSL failed.
    package var sha256: [UInt8]? { digest.withLock { $0?.bytes } }

    /// Checks RSA signatures of receipts, eight at once. Signatures that are not proven to be valid are left to
    /// ``verify()``.
    package static func proveSignatures(of receipts: [PendingReceipt]) {
        let suitable = receipts.filter(\.isSuitable)
        for start in stride(from: 0, to: suitable.count, by: Int(RECEIPT_CRYPTO_LANES)) {
            let group = suitable[start..<min(start + Int(RECEIPT_CRYPTO_LANES), suitable.count)]
            // Checking fewer than three together saves no time.
            if group.count > 2 { prove(group) }
        }
    }

    private var signature: ArraySlice<UInt8> { container[unchecked.signedData.signerInfo.signature] }

    private var isSuitable: Bool {
        verifier.checksSignaturesTogether && unchecked.chain.canCheckTogether
            && !unchecked.signedData.signerInfo.signatureAlgorithm.isECDSA
    }

    private static func prove(_ receipts: ArraySlice<PendingReceipt>) {
        let signatures = receipts.flatMap(\.signature)
        unsafe signatures.span.withUnsafeBufferPointer { bytes in
            var checks: [receipt_crypto_rsa_check] = unsafe []
            var start = 0
            for receipt in receipts {
                let end = start + receipt.signature.count
                let signature = unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
                unsafe checks.append(
                    receipt_crypto_rsa_check(
                        chain: receipt.unchecked.chain.pointer,
                        algorithm: receipt.unchecked.digestAlgorithm.crypto,
                        digest: receipt.unchecked.signedDigest.value,
                        signature: receipt_crypto_slice(bytes: signature.baseAddress, count: signature.count),
                        is_accepted: false))
                start = end
            }
            unsafe checks.withUnsafeMutableBufferPointer { checks in
                if let first = checks.baseAddress { unsafe receipt_crypto_accept_rsa(first, checks.count) }
            }
            for (index, receipt) in receipts.enumerated() where unsafe checks[index].is_accepted {
                receipt.isProven.store(true, ordering: .relaxed)
            }
        }
    }

    /// Whether the signature is proven to be valid. False proves nothing.
    package var hasProvenSignature: Bool { isProven.load(ordering: .relaxed) }

    /// Checks the signature if it is not proven, and then the content, the trust anchor kind and the policy.
    package func verify() throws(ReceiptError) -> VerifiedReceipt {
        let container = container
        let receipt = try verifier.authenticate(unchecked, of: container.span, isProven: hasProvenSignature)
        try receipt.require(policy)
        return receipt
    }
}
