import ArgumentParser
import ReceiptAudit

/// The format of an audit's sources. Missing options are detected.
struct SourceOptions: ParsableArguments {
    @Option(
        help: """
            What the sources hold: auto, the default, goes by their names, and where those say nothing by the first bytes. JSON is a \
            record a line unless the first line ends within one.
            """)
    var format: SourceFormat?

    @Option(
        help: ArgumentHelp(
            """
            What stands between the fields of CSV: comma, semicolon, tab, pipe or a character. Without it, what the \
            first line holds most of.
            """, valueName: "delimiter"))
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp(
            """
            The field or column of the record's id; without it id, and where there is none the record's number. Of \
            JSON, a path such as user.id.
            """, valueName: "name"))
    var idField: String?

    @Option(
        help: ArgumentHelp(
            """
            The field or column of the receipt, for example response.latest_receipt; without it receipt, and where \
            there is none the first that holds receipts in most of the first 1,000 records; in a pipe the one that \
            alone holds one in the first.
            """, valueName: "name"))
    var receiptField: String?

    @Option(
        help: ArgumentHelp(
            "The field or column of the subject; without it subject, where there is one.", valueName: "name"))
    var subjectField: String?

    struct Delimiter: ExpressibleByArgument {
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
            throw ValidationError("The field \(receipt) cannot be the receipt and name it: give another one.")
        }
        if [idField, receiptField, subjectField].contains("") {
            throw ValidationError("The name of a field is empty.")
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
        format = format ?? recorded["format"].flatMap(SourceFormat.init)
        delimiter = delimiter ?? recorded["delimiter"].flatMap(Delimiter.init(recorded:))
    }

    func apply(to settings: inout AuditSettings) {
        settings.columns = ColumnNames(id: idField, receipt: receiptField, subject: subjectField)
        settings.format = format ?? .auto
        settings.delimiter = delimiter?.byte
    }
}
