import AppReceipt
import ArgumentParser
import ReceiptAudit

/// What is made of an audit for people, and of which receipts.
struct ExportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write receipts, purchases, verdicts and findings as CSV for spreadsheets into this folder.",
            valueName: "folder"))
    var csv: String?

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

    var shown: ShownDates { ShownDates(from: createdAfter, until: createdBefore) }

    /// - Parameter report: the path of the report, where there is one.
    func require(report: String?) throws {
        guard createdAfter != nil || createdBefore != nil else { return }
        guard report != nil || csv != nil else {
            throw ValidationError(
                "--created-after and --created-before say what --report and --csv show: give one of them.")
        }
        if let createdAfter, let createdBefore, createdAfter >= createdBefore {
            throw ValidationError("No receipt is created after --created-after and before --created-before.")
        }
    }
}
