import ArgumentParser
import ReceiptAudit
import ReceiptCommands
import RecordSources

/// The format of an audit's sources. The audit detects what the options do not state.
struct SourceOptions: ParsableArguments {
    @Option(
        help: """
            The format of the sources. auto (the default) detects it by their names, then by their first bytes. JSON has one \
            record per line unless the first line ends inside a record. JSON that is one object keyed by id, such as an \
            export of Firebase, has a record for each id.
            """)
    var format: SourceFormat?

    @Option(
        help: ArgumentHelp(
            """
            The CSV delimiter: comma, semicolon, tab, pipe or any punctuation character; the default is the most frequent \
            in the first line.
            """, valueName: "delimiter"),
        transform: { argument in
            guard let delimiter = Delimiter(argument: argument) else {
                throw ValidationError("is not one of comma, semicolon, tab, pipe or a punctuation character")
            }
            return delimiter
        })
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp(
            """
            The field or column of the record's id, or a JSON path such as user.id; the default is id, then the record \
            number.
            """, valueName: "name"))
    var idField: String?

    @Option(
        help: ArgumentHelp(
            """
            The field or column of the receipt, or a JSON path such as response.latest_receipt; the default is receipt, \
            then the first that contains receipts in most of the first 1,000 records. A pipe uses the first record in \
            which exactly one field contains a receipt. In JSON keyed by id, * stands for any key: \
            users.*.purchases.*.receipt.
            """, valueName: "name"))
    var receiptField: String?

    @Option(
        help: ArgumentHelp(
            """
            The field or column of the subject, the customer account that presented the record; the default is subject, \
            then the first with a name such as user_id, customer_id or appAccountToken.
            """, valueName: "name"))
    var subjectField: String?

    @Option(
        help: ArgumentHelp(
            "Read this table of an SQLite database or an SQL dump; repeatable; the default is every table with receipts.",
            valueName: "name"))
    var table: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Keep this column in the database, the CSV files and the report; all keeps every column. May be repeated; a JSON \
            path such as user.country names a nested field.
            """, valueName: "column"))
    var keep: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            Read only records whose column has this value, and count the others. May be repeated: values of one column \
            are alternatives, and every named column must match.
            """, valueName: "column=value"),
        transform: { text in
            guard let condition = SourceSettings.ColumnValue(text) else {
                throw ValidationError("is not COLUMN=VALUE")
            }
            return condition
        })
    var conditions: [SourceSettings.ColumnValue] = []

    struct Delimiter {
        let byte: UInt8

        init?(argument: String) {
            let names = ["comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"]
            let text = Array((names[argument.lowercased()] ?? argument).utf8)
            // A letter, a digit or a quote may occur in fields.
            guard text.count == 1, let byte = text.first, byte < 0x80, byte == 0x09 || byte >= 0x20,
                !"\"+/=-_ ".utf8.contains(byte), !(0x30...0x39).contains(byte),
                !(0x41...0x5A).contains(byte & 0xDF)
            else { return nil }
            self.byte = byte
        }

        /// Parses the recorded form of a run: the character's number.
        init?(recorded: String) {
            guard let byte = UInt8(recorded) else { return nil }
            self.init(argument: String(UnicodeScalar(byte)))
        }
    }

    func validate() throws {
        let receipt = receiptField ?? "receipt"
        if [idField, subjectField].contains(receipt) {
            throw ValidationError(
                "--receipt-field: '\(receipt)' is also the id or subject field; name another one")
        }
        if keep.contains("") { throw ValidationError("--keep: empty name") }
        if [idField, receiptField, subjectField].contains("") {
            throw ValidationError("--id-field, --receipt-field, --subject-field: empty name")
        }
    }

    /// Takes missing settings from a run.
    mutating func complete(by recorded: RecordedSettings) {
        let names = recorded.list("columns").map { $0.isEmpty ? nil : $0 }
        if names.count == 3 {
            (idField, receiptField, subjectField) = (
                idField ?? names[0], receiptField ?? names[1], subjectField ?? names[2]
            )
        }
        if table.isEmpty { table = recorded.list("table") }
        if keep.isEmpty { keep = recorded.list("keep") }
        if conditions.isEmpty {
            conditions = recorded.list("where").compactMap(SourceSettings.ColumnValue.init)
        }
        format = format ?? recorded["format"].flatMap(SourceFormat.init)
        delimiter = delimiter ?? recorded["delimiter"].flatMap(Delimiter.init(recorded:))
    }

    func apply(to settings: inout AuditSettings) {
        settings.reading.columns = ColumnNames(id: idField, receipt: receiptField, subject: subjectField)
        settings.reading.keptColumns = keep
        settings.reading.conditions = conditions
        settings.reading.format = format ?? .auto
        settings.reading.delimiter = delimiter?.byte
        settings.reading.tables = table
    }
}
