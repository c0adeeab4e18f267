import ReceiptJSON

/// A value of the verdict, and where the signed bytes say it.
struct Citation: Hashable, Sendable {
    /// As in the verdict, for example `receipt.in_app[0].expires_date`: text of JSON, without its quotes.
    let path: [UInt8]
    /// Of a receipt: the attribute's number.
    let attribute: Int64?
    /// In the signed content, of the value without what is around it in DER.
    let range: Range<Int>
    /// The JSON text that the verdict has.
    let value: [UInt8]
}

extension [Citation] {
    /// The file of a bundle: JSON, a citation a line, so that a script writes it as well.
    /// - Parameter content: the file in which the offsets count.
    func json(of content: String) -> [UInt8] {
        var json = Array<UInt8>("{\"content\":\"\(content)\",\"citations\":[\n".utf8)
        for (index, citation) in enumerated() {
            if index > 0 { json += ",\n".utf8 }
            json += "{\"path\":\"".utf8
            json += citation.path
            json += "\",".utf8
            if let attribute = citation.attribute { json += "\"attribute\":\(attribute),".utf8 }
            json +=
                "\"offset\":\(citation.range.lowerBound),\"length\":\(citation.range.count),\"value\":".utf8
            json += citation.value
            json += "}".utf8
        }
        return json + "\n]}\n".utf8
    }
}
