public import AppReceipt
public import OfferEligibility

// The contract's JSON for those who have one object: the exact bytes of the tool's line, without its end. For many
// lines a ``JSONWriter`` does the same and keeps its memory. All of it is computation on values: call it from any
// thread.

extension Examination {
    /// The object of `verify --json`, and with verdicts that of `audit --ndjson`, in UTF-8.
    /// - Parameters:
    ///   - origin: where the receipt came from.
    ///   - verdicts: what the rules say of the receipt; nil where nothing was asked.
    public func json(of origin: ReceiptOrigin, verdicts: [ProductVerdict]? = nil) -> [UInt8] {
        JSONWriter.text { $0.verification(self, of: origin, verdicts: verdicts) }
    }
}

extension VerifiedReceipt {
    /// The object of `verify --json` for a genuine receipt, in UTF-8.
    /// - Parameters:
    ///   - origin: where the receipt came from.
    ///   - sha256: of the container's DER bytes, see `ReceiptVerifier.sha256(of:)`.
    public func json(of origin: ReceiptOrigin, sha256: [UInt8]?) -> [UInt8] {
        Examination(.success(self), sha256: sha256, contentSHA256: try? contentDigest).json(of: origin)
    }
}

extension ReceiptError {
    /// The object of `verify --json` for a receipt that was refused, in UTF-8.
    /// - Parameters:
    ///   - origin: where the receipt came from.
    ///   - sha256: of the container's DER bytes, see `ReceiptVerifier.sha256(of:)`; nil where none could be decoded.
    public func json(of origin: ReceiptOrigin, sha256: [UInt8]?) -> [UInt8] {
        Examination(.failure(Refusal(self)), sha256: sha256).json(of: origin)
    }
}

extension ProductVerdict {
    /// The object of `eligibility --json`, in UTF-8.
    /// - Parameter origin: where the receipt came from; nil for an object inside a receipt's own.
    public func json(of origin: ReceiptOrigin? = nil) -> [UInt8] {
        JSONWriter.text { $0.verdict(self, of: origin) }
    }
}
