import AppReceipt
import ReceiptASN1
import ReceiptJSON
import StrictJSON

extension [Citation] {
    /// Cites the values of a receipt's payload, in order.
    init(of payload: ReceiptPayload) {
        self = []
        let bytes = payload.bytes
        var app = RowValues()
        payload.app.visit(&app, of: bytes)
        let purchases = payload.inAppPurchases
        var index = purchases.startIndex
        payload.forEachAttribute { attribute in
            guard attribute.type == 17 else {
                return append(attribute, among: app, below: "receipt", of: bytes)
            }
            var values = RowValues()
            purchases[index].record.visit(&values, of: bytes)
            let path = "receipt.in_app[\(index)]"
            purchases[index].forEachAttribute { append($0, among: values, below: path, of: bytes) }
            index += 1
        }
    }

    /// Appends a citation of an attribute, if the attribute has a name and a value.
    private mutating func append(
        _ attribute: ReceiptAttribute, among values: RowValues, below path: String, of bytes: [UInt8]
    ) {
        guard let row = values.rows[attribute.type] else { return }
        append(
            Citation(
                path: Array<UInt8>("\(path).\(row.name)".utf8), attribute: attribute.type,
                range: row.isRaw ? attribute.value : bytes.content(of: attribute.value), value: row.value))
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

/// The values of a record by attribute type, as JSON text of the verdict.
private struct RowValues: AttributeVisitor {
    private(set) var rows: [Int64: (name: String, value: [UInt8], isRaw: Bool)] = [:]

    private mutating func add(
        _ type: Int64, _ name: StaticString, isRaw: Bool = false, _ write: (inout JSONWriter) -> Void
    ) {
        let member = JSONWriter.text { $0.object(write) }
        // The value without the name and punctuation of `{"name":…}`.
        let value = Array(member.dropFirst(name.utf8CodeUnitCount + 4).dropLast())
        rows[type] = ("\(name)", value, isRaw)
    }

    mutating func text(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8]) {
        guard value.range != nil else { return }
        add(type, name) { $0.text(type, name, value, of: bytes) }
    }
    mutating func bytes(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8]) {
        guard value.range != nil else { return }
        add(type, name, isRaw: true) { $0.bytes(type, name, value, of: bytes) }
    }
    mutating func date(_ type: Int64, _ name: StaticString, _ value: Timestamp?) {
        guard value != nil else { return }
        add(type, name) { $0.date(type, name, value) }
    }
    mutating func identifier(_ type: Int64, _ name: StaticString, _ value: UInt64?) {
        guard value != nil else { return }
        add(type, name) { $0.identifier(type, name, value) }
    }
    mutating func integer(_ type: Int64, _ name: StaticString, _ value: Int64?) {
        guard value != nil else { return }
        add(type, name) { $0.integer(type, name, value) }
    }
    mutating func flag(_ type: Int64, _ name: StaticString, _ value: Bool?) {
        guard value != nil else { return }
        add(type, name) { $0.flag(type, name, value) }
    }
    mutating func productType(_ type: Int64, _ name: StaticString, _ value: InAppProductType?) {
        guard value != nil else { return }
        add(type, name) { $0.productType(type, name, value) }
    }
}
