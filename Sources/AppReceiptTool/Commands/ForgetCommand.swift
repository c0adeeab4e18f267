import AppReceipt
import ArgumentParser
import CReceiptCrypto
import ReceiptAudit
import ReceiptCommands
import RecordSources

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove an account's records from the outputs of an audit.",
        discussion: """
            Example: appreceipt forget user-17 --database audit.sqlite --lines lines.ndjson > remains.ndjson

            Removes the records that these accounts (subjects) presented: receipts, purchases, verdicts, customers, and the \
            findings about them. Each record leaves its number and the hash of its leaf, so that the Merkle root of the audit \
            can still be checked. Records of other accounts stay, even if they show the same purchase.

            Writes a line for each removed record, with its digests and its verdict, and the root at the end.

            To remove them from the bundle of audit --evidence, with its report, tables, lines and evidence:

              appreceipt forget user-17 --evidence FOLDER > remains.ndjson

            Sources, other outputs and backups are not changed. An audit with forgotten records cannot be resumed or replayed.

            If it is interrupted, run it again, and write to a new file: the lines of records that are already removed have \
            only number and leaf.

            Exit status: 0 the records were removed; 1 there was no such record, or the bundle does not match its \
            checksums; 2 something could not be read or written; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The accounts (subjects) to remove.", valueName: "subject"))
    var subjects: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Remove this record, too, such as evidence without a subject: number:17, id:order-17, export.ndjson:17, or just a \
            number or an id. May be repeated.
            """, valueName: "record"))
    var record: [String] = []

    @Option(help: .file("The database of audit --output."))
    var database: String?

    @Option(
        help: .file(
            "Replace the lines in this file of audit --ndjson, too. The audit of the database wrote it."))
    var lines: String?

    @Option(help: .folder("Change the bundle that audit --evidence wrote to this folder."))
    var evidence: String?

    func validate() throws {
        if subjects.isEmpty && record.isEmpty || (subjects + record).contains("") {
            throw ValidationError("SUBJECT, --record: missing or empty")
        }
        for (name, path) in [("--database", database), ("--lines", lines), ("--evidence", evidence)]
        where path == "" {
            throw ValidationError("\(name): empty path")
        }
        guard (database == nil) != (evidence == nil) else {
            throw ValidationError("--database, --evidence: exactly one is required")
        }
        if evidence != nil, lines != nil {
            throw ValidationError("--lines: cannot be combined with --evidence, which includes the lines")
        }
    }

    func run() throws {
        TerminationSignals.install()
        let verifier = try ReceiptVerifier()
        let removal: Forgetting
        var digest: String?
        if let evidence {
            if let fault = try Audit.faultBeforeForgetting(inBundle: evidence, verifier) {
                StandardError.writeError(
                    "\(evidence)/\(fault); nothing was removed; see appreceipt evidence --check")
                throw ExitCode(1)
            }
            let openSSL = unsafe String(cString: receipt_crypto_version_at_run_time())
            let tool = AuditingTool(path: CommandLine.arguments[0], openSSL: openSSL, verifier)
            (removal, digest) = try Audit.forget(
                subjects, records: record, inBundle: evidence, by: tool, verifier,
                write: StandardOutput.write)
        } else {
            removal = try Forgetting(
                of: subjects, records: record, in: database ?? "", lines: lines, verifier,
                write: StandardOutput.write)
        }
        for name in removal.missing { StandardError.writeLine("\(name): no such record") }
        if removal.completed > 0 {
            StandardError.writeLine(
                "completed an interrupted run: \(removal.completed) records were forgotten before")
        }
        let count = "\(removal.records) record\(removal.records == 1 ? "" : "s")"
        StandardError.writeLine("forgotten: \(count); the Merkle root stays \(removal.root)")
        if let digest { StandardError.writeLine("SHA-256 of SHA256SUMS: \(digest)") }
        if removal.records + removal.completed == 0 { throw ExitCode(1) }
    }
}
