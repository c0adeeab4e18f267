package import AppReceipt
import ReceiptExamination
import StrictJSON

extension RecordFields {
    /// Reads a row of CSV.
    /// - Throws: `ReceiptError` with code `unreadable`.
    package init(row range: Range<Int>, of batch: Batch, place: Int) throws(ReceiptError) {
        guard let columns = batch.columns,
            let row = CSVRow(batch.bytes, range, delimiter: columns.delimiter, keeping: columns.count)
        else {
            throw ReceiptError(.unreadable, message: "not CSV: a quote in the wrong place, or not closed")
        }
        guard row.count == columns.count else {
            let message = "\(row.count) fields, expected \(columns.count)"
            throw ReceiptError(.unreadable, message: message)
        }
        guard !row.mayBeSeveral else {
            throw ReceiptError(
                .unreadable, message: "line ends and delimiters in quotes, which may be several rows")
        }
        func text(_ column: Int?) throws(ReceiptError) -> String? {
            guard let column else { return nil }
            let field = row.fields[column]
            if field.span.saysAbsent { return nil }
            guard let text = String(validating: field, as: UTF8.self) else {
                throw ReceiptError(.unreadable, message: "column \(column + 1) is not UTF-8")
            }
            guard text.utf8.count <= Self.longestName else { throw .tooLong }
            return text
        }
        let (id, subject) = (try text(columns.id), try text(columns.subject))
        let origin: ReceiptOrigin
        if let id {
            origin = .record(id: id, subject: subject)
        } else {
            var writer = JSONWriter()
            origin = .tokens(id: Array("\(place)".utf8), subject: subject.map { writer.text(of: $0) })
        }
        let receipt = row.fields[columns.receipt]
        let others = columns.others.compactMap { column, name in
            let field = row.fields[column]
            return field.span.saysAbsent
                ? nil : APIAnswer.Element(path: name, text: String(validating: field, as: UTF8.self))
        }
        var values: [[UInt8]: [UInt8]] = [:]
        for (column, name) in columns.kept.conditions {
            let field = row.fields[column]
            values[name] = field.span.saysAbsent ? [] : Array(field)
        }
        let kept = columns.kept.columns.compactMap { column, name in
            let field = row.fields[column]
            return field.span.saysAbsent ? nil : (name: name, value: Array(field))
        }
        let unread = columns.noticed.first { column, _ in
            let field = row.fields[column]
            return UnreadReceipts.holdsReceipt(field.span)
        }
        self.init(
            origin: origin,
            receipt: receipt.span.saysAbsent ? others.isEmpty ? .absent : nil : .bytes(Array(receipt)),
            others: others, whole: range,
            found: [.receipt, columns.id == nil ? [] : .id, columns.subject == nil ? [] : .subject],
            kept: columns.kept.fields.kept(kept), isSelected: columns.kept.fields.select(values),
            unreadField: unread?.name)
    }
}
