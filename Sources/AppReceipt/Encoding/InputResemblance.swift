/// The format that an input resembles if it is not a receipt. It is used only in error messages. Only the
/// first 64 KiB and the faulty byte are examined.
public enum InputResemblance: Hashable, Sendable {
    // Receipts in unexpected encodings

    /// Percent encoding (RFC 3986, 2.1).
    case percentEncoding
    /// Escapes of a JSON string, such as `\/`.
    case jsonEscapes
    /// A data URI (RFC 2397).
    case dataURI
    /// Quotation marks around a text.
    case quotes
    /// Two hexadecimal digits for each byte, also after `0x` or `\x`.
    case hexadecimal
    /// Base64 of base64.
    case base64Twice
    /// Text in UTF-16.
    case utf16
    /// JSON or a JWS after a byte order mark of UTF-8. Some editors and shells for Windows write one.
    case byteOrderMark

    // Other evidence

    /// A JWS of StoreKit 2.
    case jws
    /// An answer from verifyReceipt.
    case verifyReceiptAnswer
    /// A transaction receipt: a property list.
    case transactionReceipt
    /// Any other JSON.
    case json
    /// A first line with several fields, as in CSV.
    case table

    // Files without evidence

    /// An X.509 certificate, in DER or PEM.
    case certificate
    /// Several PEM blocks.
    case pemBundle
    /// A purchase token of Google Play.
    case googlePlayToken
    /// A page of HTML or XML.
    case html
    /// JPEG, PNG or GIF.
    case image
    /// PDF.
    case pdf
    /// ZIP, including spreadsheets and app packages.
    case zip
    /// Gzip (RFC 1952).
    case gzip
    /// Apache Parquet.
    case parquet
    /// A database of SQLite.
    case sqlite

    /// Advice for a person on how to proceed.
    public var advice: String {
        switch self {
        case .percentEncoding: "it is percent-encoded; appreceipt audit unwraps it"
        case .jsonEscapes: "it has JSON string escapes; appreceipt audit unwraps it"
        case .dataURI: "it is a data URI; appreceipt audit unwraps it"
        case .quotes: "it is in quotation marks; appreceipt audit unwraps it"
        case .hexadecimal: "it is hexadecimal; appreceipt audit unwraps it"
        case .base64Twice: "it is base64 of base64; appreceipt audit unwraps it"
        case .utf16: "it is UTF-16; appreceipt audit unwraps it"
        case .byteOrderMark: "it begins with a byte order mark; save it as UTF-8 without one"
        case .jws: "it looks like a StoreKit 2 JWS; use appreceipt verify"
        case .verifyReceiptAnswer:
            "it looks like a verifyReceipt response; appreceipt audit reads its latest_receipt, and "
                + "appreceipt eligibility --trusting its unsigned arrays"
        case .transactionReceipt:
            "it looks like a transaction receipt; use appreceipt verify"
        case .json:
            "it looks like JSON; use appreceipt audit for an export, appreceipt verify for signed objects"
        case .table: "it looks like a table; use appreceipt audit"
        case .certificate:
            "it looks like a certificate; use appreceipt inspect to show it, --root to trust it"
        case .pemBundle: "it looks like several PEM blocks; pass one at a time"
        case .googlePlayToken: "it looks like a Google Play purchase token"
        case .html: "it looks like an HTML page"
        case .image: "it looks like an image"
        case .pdf: "it looks like a PDF document"
        case .zip: "it looks like a ZIP archive or a spreadsheet; unpack it, or export it as CSV"
        case .gzip: "it looks like a gzip file; unpack it first"
        case .parquet: "it looks like Parquet; use python -m appreceipt.records"
        case .sqlite: "it looks like an SQLite database; use appreceipt audit"
        }
    }

    private static let magics: [([UInt8], InputResemblance)] = [
        ([0xFF, 0xD8, 0xFF], .image), ([0x89, 0x50, 0x4E, 0x47], .image), (Array("GIF8".utf8), .image),
        (Array("%PDF".utf8), .pdf), ([0x50, 0x4B, 0x03, 0x04], .zip), ([0x1F, 0x8B], .gzip),
        (Array("PAR1".utf8), .parquet), (Array("SQLite format 3".utf8), .sqlite),
        ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16),
        (Array("<".utf8), .html), (Array("data:".utf8), .dataURI), (Array("\"".utf8), .quotes),
        (Array("'".utf8), .quotes), (Array("\\x".utf8), .hexadecimal), (Array("0x".utf8), .hexadecimal),
        // The hexadecimal digits of a SEQUENCE, and the bytes that a base64 decoder produces from them.
        (Array("3082".utf8), .hexadecimal), (Array("3080".utf8), .hexadecimal),
        ([0xDF, 0x4F, 0x36], .hexadecimal), ([0xDF, 0x4F, 0x34], .hexadecimal),
        (Array("eyJ".utf8), .jws), (Array("MI".utf8), .base64Twice), (Array("-----".utf8), .pemBundle),
    ]

    /// Detects the format. Returns nil if it is unknown.
    /// - Parameters:
    ///   - bytes: an input that is not a receipt, or its decoded form.
    ///   - offset: the offset of the faulty byte.
    package init?(_ bytes: Span<UInt8>, faultAt offset: Int = 0) {
        var start = 0
        while start < bytes.count, bytes[start].isBlankOrLineEnd { start += 1 }
        let text = bytes.extracting(start..<bytes.count)
        guard !text.isEmpty else { return nil }
        if text[0] == UInt8(ascii: "{") {
            self = InputResemblance(braces: text.extracting(0..<min(text.count, 1 << 16)))
        } else if text[0] == UInt8(ascii: "[") {
            self = .json
        } else if text.isCertificate || text.starts(with: "-----BEGIN CERTIFICATE".utf8) {
            self = .certificate
        } else if let (_, found) = Self.magics.first(where: { text.starts(with: $0.0) }),
            found != .base64Twice, found != .quotes || !text.isTable
        {
            self = found
        } else if text.isTable, !text.starts(with: "MI".utf8) {
            self = .table
        } else if ["{", "[", "eyJ"].contains(where: { text.starts(with: "\u{FEFF}\($0)".utf8) }) {
            self = .byteOrderMark
        } else if offset < bytes.count, bytes[offset] == UInt8(ascii: "%") {
            self = .percentEncoding
        } else if offset < bytes.count, bytes[offset] == UInt8(ascii: "\\") {
            self = .jsonEscapes
        } else if offset == 0, text.starts(with: "MI".utf8) {
            self = .base64Twice
        } else {
            return nil
        }
    }

    private init(braces text: Span<UInt8>) {
        guard !text.isPropertyList else {
            self = .transactionReceipt
            return
        }
        let names = ["latest_receipt", "in_app", "receipt_type"]
        let isAnswer = text.indices.contains { index in
            text[index] == UInt8(ascii: "\"")
                && names.contains { text.starts(with: $0.utf8, at: index + 1) }
        }
        self = isAnswer ? .verifyReceiptAnswer : .json
    }
}

extension Span<UInt8> {
    /// Whether the first line has at least two fields, and the next line that is not empty has at least as
    /// many. The text of a receipt contains no field separators.
    fileprivate var isTable: Bool {
        let start = extracting(0..<Swift.min(count, 1 << 16))
        let first = start.line(from: 0)
        let next = (first.upperBound..<start.count).first { !start[$0].isLineEnd }
        guard let second = next.map({ start.line(from: $0) }), !second.isEmpty else { return false }
        let isText = (0..<second.upperBound).allSatisfy { start[$0] >= 0x20 || start[$0].isBlankOrLineEnd }
        return isText
            && ",;|\t".utf8.contains { delimiter in
                let fields = first.count { start[$0] == delimiter }
                return fields > 0 && second.count { start[$0] == delimiter } >= fields
            }
    }

    private func line(from start: Int) -> Range<Int> {
        start..<((start..<count).first { self[$0].isLineEnd } ?? count)
    }

    /// Whether a text that begins with a brace is an old-style property list. A dictionary has `=` after its
    /// first name, a JSON object `:`.
    var isPropertyList: Bool {
        var index = 1
        var quotes = 0
        while index < count, quotes < 2 || self[index].isBlankOrLineEnd {
            if self[index] == UInt8(ascii: "\"") { quotes += 1 }
            index += 1
        }
        return index < count && self[index] == UInt8(ascii: "=")
    }

    /// Whether the bytes begin like a certificate (RFC 5280, 4.1), with a SEQUENCE in a SEQUENCE. A receipt
    /// has an object identifier instead of the inner SEQUENCE.
    fileprivate var isCertificate: Bool {
        guard count > 4, self[0] == 0x30, self[1] == 0x82 else { return false }
        return self[4] == 0x30
    }
}
