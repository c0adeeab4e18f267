/// A value of the verdict and its place in the signed bytes.
struct Citation: Hashable, Sendable {
    /// The path in the verdict, for example `receipt.in_app[0].expires_date`, as JSON string text without
    /// quotes.
    let path: [UInt8]
    /// The attribute's number in a receipt, or nil for other objects.
    let attribute: Int64?
    /// The range of the value in the signed content, without its DER tag and length.
    let range: Range<Int>
    /// The JSON text of the value in the verdict.
    let value: [UInt8]
}

extension [Citation] {
    /// Returns the contents of `citations.json`: JSON with one citation per line, which a script can
    /// reproduce.
    /// - Parameter content: The name of the file that the offsets refer to.
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
