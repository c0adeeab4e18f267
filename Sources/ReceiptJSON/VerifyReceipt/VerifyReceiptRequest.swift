import AppReceipt
import StrictJSON

// requestBody ::= {
//     "receipt-data": base64 (RFC 4648, 4),
//     "password": text,                      OPTIONAL
//     "exclude-old-transactions": boolean,   OPTIONAL
//     "signed-renewal-info": [compact JWS]   OPTIONAL, not Apple's
// }
//
// null says what absence says, as clients write it that have no password. Other members are read and not looked at.

/// What is asked of verifyReceipt.
struct VerifyReceiptRequest {
    private(set) var receiptData: [UInt8]?
    private(set) var password: [UInt8]?
    private(set) var excludesOldTransactions = false
    private(set) var signedRenewalInfo: [[UInt8]] = []

    /// - Parameters:
    ///   - body: of the request.
    ///   - limits: of what a compact JWS may have.
    init(_ body: Span<UInt8>, limits: ReceiptLimits) throws(VerifyReceiptRefusal) {
        do throws(JSONError) {
            guard body.count <= VerifyReceiptEndpoint.maximumRequestBytes else {
                throw JSONError(.tooLong(limit: VerifyReceiptEndpoint.maximumRequestBytes), at: body.count)
            }
            var reader = JSONReader(body)
            try read(&reader, limits)
            try reader.end()
        } catch {
            throw .malformed("\(error.fault)", at: error.offset, error.path)
        }
    }

    private mutating func read(_ reader: inout JSONReader, _ limits: ReceiptLimits) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            if try reader.null() { return }
            switch name.ifASCII {
            // The reader knows where it ends: within the request.
            case "receipt-data": receiptData = try reader.text(atMost: .max)
            case "password": password = try reader.text(atMost: .max)
            case "exclude-old-transactions": excludesOldTransactions = try reader.bool()
            case "signed-renewal-info":
                try reader.array { (reader, index) throws(JSONError) in
                    guard index < VerifyReceiptEndpoint.maximumRenewalInfos else {
                        throw reader.error(.tooManyMembers(limit: VerifyReceiptEndpoint.maximumRenewalInfos))
                    }
                    signedRenewalInfo.append(try reader.text(atMost: limits.signedTextBytes))
                }
            default: try reader.skip()
            }
        }
    }
}
