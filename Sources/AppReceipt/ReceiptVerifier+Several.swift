import CReceiptCrypto

extension ReceiptVerifier {
    /// The maximum number of receipts whose signatures are checked together: two groups of eight. All of them
    /// are in memory at the same time.
    package static let receiptsTogether = 16

    /// Verifies several receipts. On processors with AVX-512 IFMA, eight RSA signatures are checked at once.
    /// The results are those of a separate call for each receipt. In addition to the results, at most sixteen
    /// receipts are in memory at a time. Without the last of them, these inputs have at most 256 KB in total.
    /// - Parameters:
    ///   - inputs: the receipts, each in any ``InputEncoding``.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Returns: a result for each input, in the same order.
    public func verify(
        each inputs: [[UInt8]], for policy: VerificationPolicy
    ) -> [Result<VerifiedReceipt, ReceiptError>] {
        guard checksSignaturesTogether, inputs.count > 1 else {
            return inputs.map { input in Result { () throws(ReceiptError) in try verify(input, for: policy) }
            }
        }
        var results: [Result<VerifiedReceipt, ReceiptError>] = []
        results.reserveCapacity(inputs.count)
        var (pending, size): ([Result<PendingReceipt, ReceiptError>], Int) = ([], 0)
        for (index, input) in inputs.enumerated() {
            pending.append(
                Result { () throws(ReceiptError) in
                    PendingReceipt(
                        try InputEncoding.decode(input, limits: limits).der, by: self, for: policy)
                })
            size += input.count
            guard pending.count == Self.receiptsTogether || size > 1 << 18 || index == inputs.count - 1 else {
                continue
            }
            PendingReceipt.proveSignatures(of: pending.compactMap { try? $0.get() })
            for receipt in pending {
                results.append(Result { () throws(ReceiptError) in try receipt.get().verify() })
            }
            (pending, size) = ([], 0)
        }
        return results
    }
}
