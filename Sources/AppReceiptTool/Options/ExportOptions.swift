import AppReceipt
import ArgumentParser
import ReceiptAudit

/// The options for outputs for people, and for the receipts that they show.
struct ExportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write receipts, purchases, renewals, app transactions, notifications, realtime requests, customers, verdicts and \
            findings as CSV into this folder.
            """,
            valueName: "folder"))
    var csv: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the answer for each customer and product of the catalogue, over all receipts of the customer, a line of \
            NDJSON each; - is standard output.
            """, valueName: "file"))
    var subjectVerdicts: String?

    @Option(
        help: ArgumentHelp(
            """
            Show receipts created at this instant or later in the report and the CSV files, RFC 3339. Everything is \
            verified all the same, and records that were refused are shown all the same.
            """, valueName: "date"),
        transform: instant)
    var createdAfter: Timestamp?

    @Option(
        help: ArgumentHelp("Show receipts created before this instant there.", valueName: "date"),
        transform: instant)
    var createdBefore: Timestamp?

    var isEmpty: Bool { csv == nil && subjectVerdicts == nil }

    var shown: ShownDates { ShownDates(from: createdAfter, until: createdBefore) }

    /// Checks the combination of options.
    ///
    /// - Parameter report: The path of the report, or nil.
    func require(report: String?, hasCatalog: Bool) throws {
        if subjectVerdicts != nil && !hasCatalog {
            throw ValidationError(
                "--subject-verdicts takes a catalogue, which says what is asked: give --catalog FILE.")
        }
        guard createdAfter != nil || createdBefore != nil else { return }
        guard report != nil || csv != nil else {
            throw ValidationError(
                "--created-after and --created-before say what --report and --csv show: give one of them.")
        }
        if let createdAfter, let createdBefore, createdAfter >= createdBefore {
            throw ValidationError("No receipt is created after --created-after and before --created-before.")
        }
    }

    /// Checks that the files can be written, so that a failure precedes hours of work.
    func requireRoom(isReplacing: Bool) throws(AuditError) {
        if let csv { try CSVExport.requireRoom(in: csv, isReplacing: isReplacing) }
        if let subjectVerdicts {
            try CustomerLinesFile.requireRoom(at: subjectVerdicts, isReplacing: isReplacing)
        }
    }
}
