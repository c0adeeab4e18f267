import ArgumentParser
import ReceiptAudit
import ReceiptCommands

/// The options for bundles and proofs, which third parties can check.
struct EvidenceOptions: ParsableArguments {
    @Option(
        help: .folder(
            """
            Write a self-contained bundle to this new folder: database, report, lines, tables, findings with the evidence \
            of their records, and a manifest. It includes the tables of --csv; do not give --csv.
            """))
    var evidence: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the evidence of at most this many records to --evidence, from 0 to 200; the default is 200. For any other \
            record, use --prove.
            """, valueName: "count"))
    var evidenceRecords: Int?

    @Option(
        help: ArgumentHelp(
            """
            Write the evidence of one record of --database to the new folder --output, with the proof that the record is \
            under the Merkle root. The sources of the audit are required, too. A record is number:17, id:order-17, \
            export.ndjson:17, or just a number or an id.
            """, valueName: "record"))
    var prove: String?

    @Option(help: .file("Read the record of --prove from this audit database."))
    var database: String?

    /// Checks the combination of options.
    /// - Parameters:
    ///   - output: The command's output.
    ///   - isAlone: Whether the command has no other output or input.
    func validate(output: String?, isAlone: Bool, isResuming: Bool) throws {
        if prove != nil {
            guard database != nil, output != nil, isAlone, evidence == nil, !isResuming else {
                throw ValidationError(
                    "--prove: requires --database FILE and --output FOLDER, and no other output"
                )
            }
        } else if database != nil {
            throw ValidationError("--database: requires --prove RECORD")
        }
        if let evidenceRecords, evidence == nil || !(0...Audit.mostEvidence).contains(evidenceRecords) {
            throw ValidationError(
                "--evidence-records: requires --evidence FOLDER and a number from 0 to \(Audit.mostEvidence)")
        }
        if evidence != nil, !isAlone || output != nil {
            throw ValidationError(
                "--evidence: cannot be combined with other outputs; it writes them all into the folder")
        }
    }
}
