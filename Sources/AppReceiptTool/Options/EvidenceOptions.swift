import ArgumentParser

/// The options for bundles and proofs, which third parties can check.
struct EvidenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write all that there is to hand over into this new folder: database, report, lines, tables, what was found with \
            the evidence of the records that it rests on, and a manifest.
            """, valueName: "folder"))
    var evidence: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the evidence of one record of --database into the new folder --output, with the proof that it is under \
            the audit's root: number:17, id:order-17 or export.ndjson:17, or a number or an id alone.
            """, valueName: "record"))
    var prove: String?

    @Option(help: ArgumentHelp("The database of the audit that --prove is about.", valueName: "file"))
    var database: String?

    /// Checks the combination of options.
    ///
    /// - Parameters:
    ///   - output: The command's output.
    ///   - isAlone: Whether the command has no other output or input.
    func validate(output: String?, isAlone: Bool, isResuming: Bool) throws {
        if prove != nil {
            guard database != nil, output != nil, isAlone, evidence == nil, !isResuming else {
                throw ValidationError(
                    "--prove RECORD takes --database FILE, --output FOLDER, sources and settings, and nothing else."
                )
            }
        } else if database != nil {
            throw ValidationError("--database FILE says where the record of --prove is.")
        }
        if evidence != nil, !isAlone || output != nil {
            throw ValidationError(
                "--evidence FOLDER writes database, report, lines and tables into it: give it alone.")
        }
    }
}
