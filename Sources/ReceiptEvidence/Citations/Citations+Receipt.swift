import AppReceipt
import ReceiptASN1
import ReceiptJSON
import StrictJSON

extension [Citation] {
    /// Cites the values of a receipt's payload, in order.
    init(of payload: ReceiptPayload) {
        self = []
        let bytes = payload.bytes
        let app = AttributeRow.list { payload.app.visit(&$0, of: bytes) }
        let purchases = payload.inAppPurchases
        var index = purchases.startIndex
        payload.forEachAttribute { attribute in
            guard attribute.type == 17 else {
                return append(attribute, among: app, below: "receipt", of: bytes)
            }
            let rows = AttributeRow.list { purchases[index].record.visit(&$0, of: bytes) }
            let path = "receipt.in_app[\(index)]"
            purchases[index].forEachAttribute { append($0, among: rows, below: path, of: bytes) }
            index += 1
        }
    }

    /// Appends a citation of an attribute, if the attribute has a name and a value.
    private mutating func append(
        _ attribute: ReceiptAttribute, among rows: [AttributeRow], below path: String, of bytes: [UInt8]
    ) {
        guard let row = rows.first(where: { $0.type == attribute.type }), !row.value.isAbsent else { return }
        let member = JSONWriter.text { json in
            json.object { $0.visit(row.type, row.name, row.value, of: bytes) }
        }
        append(
            Citation(
                path: Array<UInt8>("\(path).\(row.name)".utf8), attribute: row.type,
                range: row.value.isBytes ? attribute.value : bytes.content(of: attribute.value),
                // The value without the name and punctuation of `{"name":…}`.
                value: Array<UInt8>(member.dropFirst(row.name.utf8CodeUnitCount + 4).dropLast())))
    }
}

extension [UInt8] {
    /// Returns the range of the content of the single element that fills `range`. The caller has already
    /// parsed the element.
    fileprivate func content(of range: Range<Int>) -> Range<Int> {
        var reader = ASN1Reader(span, in: range)
        guard let tag = reader.nextTag, let content = try? reader.primitive(tag) else { return range }
        return content
    }
}
