/// A layer that an export wrapped around a receipt. Answers list the layers with the outermost first.
package enum Wrapping: String, Sendable {
    /// Base64 and base64url (RFC 4648, 4 and 5). One of them is the innermost layer of nearly every receipt.
    case base64, base64url
    /// PEM (RFC 7468).
    case pem
    /// Percent-encoding (RFC 3986, 2.1).
    case percentEncoding = "percent_encoding"
    /// The escapes of a JSON string (RFC 8259, 7).
    case jsonEscapes = "json_escapes"
    /// A data URI (RFC 2397).
    case dataURI = "data_uri"
    /// Quotation marks around the text.
    case quotes
    /// Two hexadecimal digits per byte, optionally after `0x` or `\x`.
    case hexadecimal
    case utf16
    /// The member `latest_receipt` of a verifyReceipt response.
    case verifyReceiptAnswer = "verify_receipt_answer"
    /// The member `receipt-data` of a verifyReceipt request.
    case verifyReceiptRequest = "verify_receipt_request"
    /// The member `Payload` of a purchase of Unity IAP, whose `Store` is `AppleAppStore` or `MacAppStore`.
    case unityReceipt = "unity_receipt"
}
