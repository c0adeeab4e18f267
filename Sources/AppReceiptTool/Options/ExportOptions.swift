import AppReceipt
import ArgumentParser
import ReceiptAudit
import ReceiptCommands
import RecordSources

/// The options for outputs for people, and for the receipts that they show.
struct ExportOptions: ParsableArguments {
    @Option(
        help: .folder(
            """
            Write receipts, purchases, renewals, app transactions, notifications, realtime requests, customers, verdicts \
            and findings as CSV files to this folder.
            """))
    var csv: String?

    @Option(
        help: .file(
            """
            Write one NDJSON line per customer and product of the catalog, based on all receipts of the customer, to this \
            file; - is standard output.
            """))
    var subjectVerdicts: String?

    @Option(
        help: ArgumentHelp(
            """
            In --report and --csv, show only receipts created at or after this RFC 3339 date, and refused records. All \
            records are verified.
            """, valueName: "date"),
        transform: instant)
    var createdAfter: Timestamp?

    @Option(
        help: ArgumentHelp(
            "In --report and --csv, show only receipts created before this RFC 3339 date.", valueName: "date"),
        transform: instant)
    var createdBefore: Timestamp?

    var isEmpty: Bool { csv == nil && subjectVerdicts == nil }

    var shown: ShownDates { ShownDates(from: createdAfter, until: createdBefore) }

    /// Checks the combination of options.
    /// - Parameter report: The path of the report, or nil.
    func require(report: String?, hasCatalog: Bool) throws {
        if subjectVerdicts != nil && !hasCatalog {
            throw ValidationError(
                "--subject-verdicts: requires --catalog FILE")
        }
        guard createdAfter != nil || createdBefore != nil else { return }
        guard report != nil || csv != nil else {
            throw ValidationError(
                "--created-after, --created-before: require --report FILE or --csv FOLDER")
        }
        if let createdAfter, let createdBefore, createdAfter >= createdBefore {
            throw ValidationError("--created-after: must be before --created-before")
        }
    }

    /// Checks that the files can be written, so that a failure precedes hours of work.
    func requireWritable(isReplacing: Bool, isForced: Bool) throws(AuditError) {
        if let csv { try CSVExport.requireWritable(in: csv, isReplacing: isReplacing, isForced: isForced) }
        if let subjectVerdicts {
            try CustomerLinesFile.requireWritable(
                at: subjectVerdicts, isReplacing: isReplacing, isForced: isForced)
        }
    }
}
