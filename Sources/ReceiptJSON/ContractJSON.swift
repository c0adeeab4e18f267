public import AppReceipt
public import OfferEligibility
public import ReceiptExamination
import StrictJSON

// The contract's JSON for a single object: the exact bytes of the tool's line, without the line feed. For
// many lines, use a ``JSONWriter``, which reuses its memory. These functions only compute on values, so any
// thread may call them.

extension Examination {
    /// Returns the object of `verify --json` in UTF-8. With verdicts, returns the object of `audit --ndjson`.
    /// - Parameters:
    ///   - origin: The source or record of the receipt.
    ///   - verdicts: The eligibility verdicts on the receipt, or nil if there was no question.
    public func json(of origin: ReceiptOrigin, verdicts: [ProductVerdict]? = nil) -> [UInt8] {
        JSONWriter.text { $0.verification(self, of: origin, verdicts: verdicts) }
    }
}

extension VerifiedReceipt {
    /// Returns the object of `verify --json` for a genuine receipt, in UTF-8.
    /// - Parameters:
    ///   - origin: The source or record of the receipt.
    ///   - sha256: The digest of the container's DER bytes, see `ReceiptVerifier.sha256(of:)`.
    public func json(of origin: ReceiptOrigin, sha256: [UInt8]?) -> [UInt8] {
        Examination(receipt: .success(.receipt(self)), sha256, try? contentDigest).json(of: origin)
    }
}

extension ReceiptError {
    /// Returns the object of `verify --json` for a refused receipt, in UTF-8.
    /// - Parameters:
    ///   - origin: The source or record of the receipt.
    ///   - sha256: The digest of the container's DER bytes, see `ReceiptVerifier.sha256(of:)`. Nil if no
    ///     bytes could be decoded.
    public func json(of origin: ReceiptOrigin, sha256: [UInt8]?) -> [UInt8] {
        Examination(receipt: .failure(self), sha256).json(of: origin)
    }
}

extension ProductVerdict {
    /// Returns the object of `eligibility --json`, in UTF-8.
    /// - Parameter origin: The source or record of the receipt, or nil for an object inside the receipt's own
    ///   object.
    public func json(of origin: ReceiptOrigin? = nil) -> [UInt8] {
        JSONWriter.text { $0.verdict(self, of: origin) }
    }
}
