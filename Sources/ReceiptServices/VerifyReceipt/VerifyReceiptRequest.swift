import AppReceipt
import StrictJSON

// requestBody ::= {
//     "receipt-data": base64 (RFC 4648, 4),
//     "password": text,                      OPTIONAL
//     "exclude-old-transactions": boolean,   OPTIONAL
//     "signed-renewal-info": [compact JWS],  OPTIONAL, not in Apple's
//     "latest": [text or object, …]          OPTIONAL, not in Apple's
// }
//
// A null member counts as absent, because clients without a password send null. Other members are ignored.

struct VerifyReceiptRequest {
    private(set) var receiptData: [UInt8]?
    private(set) var password: [UInt8]?
    private(set) var excludesOldTransactions = false
    private(set) var signedRenewalInfo: [[UInt8]] = []
    /// The compact JWS and the JSON that contains them, or nil if the request has no such member.
    private(set) var latest: [LatestInput]?

    /// Reads a request.
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - limits: The limits for a compact JWS.
    init(_ body: Span<UInt8>, limits: ReceiptLimits) throws(VerifyReceiptRefusal) {
        do throws(JSONError) {
            guard body.count <= VerifyReceiptEndpoint.maximumRequestBytes else {
                throw JSONError(.tooLong(limit: VerifyReceiptEndpoint.maximumRequestBytes), at: body.count)
            }
            var reader = JSONReader(body)
            try read(&reader, of: body, limits)
            try reader.end()
        } catch {
            let isOfLatest = error.path.isExactly("latest") || error.path.utf8.starts(with: "latest[".utf8)
            throw .malformed("\(error.fault)", at: error.offset, error.path, isOfLatest: isOfLatest)
        }
    }

    private mutating func read(
        _ reader: inout JSONReader, of body: Span<UInt8>, _ limits: ReceiptLimits
    ) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            if try reader.null() { return }
            switch name.ifASCII {
            // The length of the request limits the text.
            case "receipt-data": receiptData = try reader.text(atMost: .max)
            case "password": password = try reader.text(atMost: .max)
            case "exclude-old-transactions": excludesOldTransactions = try reader.bool()
            case "signed-renewal-info":
                let most = VerifyReceiptEndpoint.maximumRenewalInfos
                signedRenewalInfo = try reader.list(atMost: most) { (reader, _) throws(JSONError) in
                    try reader.text(atMost: limits.signedTextBytes)
                }
            case "latest":
                let most = VerifyReceiptEndpoint.maximumLatestObjects
                latest = try reader.list(atMost: most) { (reader, index) throws(JSONError) in
                    // The element may be an App Store Server API response as a JSON object.
                    let bytes =
                        try reader.peek() == .object
                        ? body.copy(try reader.slice()) : try reader.text(atMost: .max)
                    return ("latest[\(index)]", bytes)
                }
            default: try reader.skip()
            }
        }
    }
}

/// The bytes of one element of `latest`, with its name in refusals.
typealias LatestInput = (name: String, bytes: [UInt8])
