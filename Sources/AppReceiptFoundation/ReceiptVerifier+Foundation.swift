public import AppReceipt

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ReceiptVerifier {
    /// Verifies a receipt in any `InputEncoding`, after copying its bytes.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Throws: `ReceiptError`.
    public func verify(
        _ input: Data, for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify([UInt8](input), for: policy)
    }

    /// Verifies a receipt in a text encoding: base64 or base64url, on one or several lines, with or without
    /// padding, or PEM.
    /// - Parameters:
    ///   - text: the receipt, as a client sends it.
    ///   - policy: the verification policy: expected app, environment and device.
    /// - Throws: `ReceiptError`. Offsets in the text are in bytes of UTF-8.
    public func verify(
        base64 text: String, for policy: VerificationPolicy
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(Array(text.utf8), for: policy)
    }
}

extension UnverifiedReceipt {
    /// Parses a receipt in any `InputEncoding`, without checking its certificates or signature.
    /// - Throws: `ReceiptError` with code `malformed` or `too_large`.
    public init(parsing input: Data, limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        try self.init(parsing: [UInt8](input), limits: limits)
    }
}
