public import AppReceipt

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ReceiptVerifier {
    /// Verifies a receipt in any `InputEncoding`; the bytes are copied first.
    /// - Parameters:
    ///   - input: the receipt.
    ///   - audience: whose receipt it must be.
    /// - Throws: `ReceiptError`.
    public func verify(
        _ input: Data, for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify([UInt8](input), for: audience)
    }

    /// Verifies a receipt in a text encoding: base64 of either alphabet, on one line or several, padded or not, or PEM.
    /// - Parameters:
    ///   - text: the receipt, as a client sends it.
    ///   - audience: whose receipt it must be.
    /// - Throws: `ReceiptError`; a place in the text counts its bytes in UTF-8.
    public func verify(
        base64 text: String, for audience: ReceiptAudience
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(Array(text.utf8), for: audience)
    }
}

extension UnverifiedReceipt {
    /// Takes a receipt in any `InputEncoding` apart, without looking at certificates or signature.
    /// - Throws: `ReceiptError` with code `malformed` or `too_large`.
    public init(parsing input: Data, limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        try self.init(parsing: [UInt8](input), limits: limits)
    }
}
