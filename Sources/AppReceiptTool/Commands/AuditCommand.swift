import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptCommands
import ReceiptExamination
import RecordSources

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Verify any number of receipts and report inconsistencies.",
        discussion: """
            Example: appreceipt audit export.ndjson --output audit.sqlite

            A source is a folder or tar archive of receipts, an export (JSON, NDJSON, CSV, TSV, SQL dump or SQLite) with \
            receipts, ids and subjects, a single receipt, or - for JSON on standard input.

            The subject is the customer account that presented the receipt. Exports and archives can be gzipped; text is \
            UTF-8 or UTF-16. Receipts that an export wrapped (percent-encoding, escapes, data URIs, quotes, hexadecimal, \
            base64 twice) are unwrapped. Wherever a receipt is expected, any input of appreceipt verify is accepted.

            To filter line by line without a database:

              appreceipt audit - --ndjson -

            Without an output option, the lines are written to standard output.

            Exit status: 0 everything genuine, absent, foreign (of another store) or of another app; 1 something was refused; 2 \
            something could not be read or written, a field with receipts was not read, no record was verified, or a named field \
            is in no record, or no result rests on a revocation list; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Folders, exports, archives, receipts, or - for standard input.", valueName: "source"))
    var sources: [String]

    @Option(help: .file("Write one NDJSON line per record to this file; - is standard output."))
    var ndjson: String?

    @Option(help: .file("Write an SQLite database with findings to this file."))
    var output: String?

    @Option(help: .file("Write a report for people to this HTML file."))
    var report: String?

    @Option(help: .file("Verify the sources again and compare the results with this database."))
    var replay: String?

    @Flag(
        help: """
            With --replay: report the verdicts that change under the given --crl, --distrust and --revocation, which may \
            differ from those of the run. Everything else is compared as usual.
            """)
    var newLists = false

    @Flag(help: "Replace existing files at the paths of the outputs.")
    var force = false

    @Flag(help: "Resume the interrupted run of --output or --evidence.")
    var resume = false

    @OptionGroup var groups: CatalogOptions

    @Option(
        help: SharedHelp.asOf,
        transform: instant)
    var asOf: Timestamp?

    @Option(
        help: ArgumentHelp(
            "Use this many threads, from 1 to 1024; the default is one per core.", valueName: "count"))
    var jobs: Int?

    @OptionGroup var reading: SourceOptions

    @OptionGroup var walk: WalkOptions

    @OptionGroup var exports: ExportOptions

    @OptionGroup var evidence: EvidenceOptions

    @Option(help: .hidden)
    var recordsPerCommit = 16384

    /// Whether the Merkle root is omitted, to measure its cost.
    @Flag(help: .hidden)
    var withoutRoot = false

    @OptionGroup var policies: PolicyOptions

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        if replay != nil && (output != nil || ndjson != nil || report != nil || !exports.isEmpty || resume) {
            throw ValidationError(
                "--replay: cannot be combined with --output, --report, --csv, --ndjson, --subject-verdicts or --resume"
            )
        }
        if newLists {
            guard replay != nil else { throw ValidationError("--new-lists: requires --replay FILE") }
            guard !options.revocation.lists.isEmpty || options.revocation.distrust != nil else {
                throw ValidationError("--new-lists: requires --crl FILE or --distrust FILE")
            }
        }
        if force && (resume || replay != nil || evidence.evidence != nil || evidence.prove != nil) {
            throw ValidationError(
                "--force: cannot be combined with --resume, --replay, --evidence or --prove")
        }
        if resume && output == nil && evidence.evidence == nil {
            throw ValidationError("--resume: requires --output FILE or --evidence FOLDER")
        }
        let isWritingElsewhere = ndjson != nil || report != nil || !exports.isEmpty
        try evidence.validate(
            output: output, isAlone: !isWritingElsewhere && replay == nil, isResuming: resume)
        if resume, let ndjson, OutputPath.isStandardOutput(ndjson) {
            throw ValidationError("--resume: cannot continue standard output; use --ndjson FILE")
        }
        if let jobs, !(1...1024).contains(jobs) {
            throw ValidationError("--jobs: \(jobs) is not a number from 1 to 1024")
        }
        if sources.filter({ $0 == "-" }).count > 1 {
            throw ValidationError("-: standard input is given twice")
        }
        if recordsPerCommit < 1 { throw ValidationError("--records-per-commit: must be at least 1") }
        try exports.require(report: report, hasCatalog: groups.isGiven)
        // A system error here is not wrong usage. The run repeats the check and reports the error.
        do { try requireDistinctFiles() } catch is AuditError {}
    }

    /// Checks that each output is a separate file, also under different paths. Otherwise the last output
    /// would replace the others.
    private func requireDistinctFiles() throws {
        let outputs = [
            ("--output", output), ("--ndjson", ndjson), ("--report", report), ("--csv", exports.csv),
            ("--subject-verdicts", exports.subjectVerdicts), ("--evidence", evidence.evidence),
        ]
        var inputs: [(String, String?)] = sources.map { ("SOURCE", $0) }
        inputs += options.otherRoots.map { ("--also-root", $0) }
        inputs += options.storeKitTestRoots.map { ("--storekit-test-root", $0) }
        inputs += [
            ("--root", options.root), ("--replay", replay),
            ("--database", evidence.database),
        ]
        inputs += options.revocation.files
        inputs += groups.files
        var used: [String: String] = [:]
        let streams = outputs.filter { $0.1.map(OutputPath.isStandardOutput) == true }.map(\.0)
        if streams.count > 1 {
            throw ValidationError(
                "\(streams.joined(separator: ", ")): only one can be written to standard output")
        }
        for case (let name, let path?) in inputs + outputs {
            if path.isEmpty { throw ValidationError("\(name): empty path") }
            let isOutput = outputs.contains { $0.0 == name }
            if isOutput, OutputPath.isNull(path) { continue }
            guard isOutput ? !OutputPath.isStandardOutput(path) : path != "-" else {
                let isStream = ["--ndjson", "--subject-verdicts"].contains(name)
                guard !isOutput || isStream || name == "--report" && path != "-" else {
                    throw ValidationError(
                        "\(name): cannot be written to standard output; name a file"
                    )
                }
                continue
            }
            let file = InputFile(path: path)
            let identity = try file.identity
            if isOutput, let folder = try sources.first(where: { try file.isBelow(InputFile(path: $0)) }) {
                throw ValidationError("\(name): \(path) is inside the source folder \(folder)")
            }
            if isOutput, let other = used[identity] {
                throw ValidationError("\(name): \(path) is also given as \(other)")
            }
            used[identity] = name
        }
        for path in output.map(DatabaseFile.companionPaths) ?? [] {
            guard let other = try used[InputFile(path: path).identity] else { continue }
            throw ValidationError(
                "\(other): \(path) is reserved for SQLite's files of --output; choose another path")
        }
    }

    func run() throws {
        try requireDistinctFiles()
        TerminationSignals.install()
        let jobs = jobs ?? processorCount
        let progress = ProgressLine(sources: sources)
        // A message at the end of the run needs its own line.
        defer { progress.end() }
        if let replay { return try verifyAgain(replay, jobs: jobs, progress) }
        if let record = evidence.prove { return try prove(record) }
        if let folder = evidence.evidence { return try handOver(to: folder, jobs: jobs, progress) }
        if let report { try ReportFile.requireWritable(at: report, isReplacing: resume, isForced: force) }
        try exports.requireWritable(isReplacing: resume, isForced: force)
        guard output != nil || report != nil || !exports.isEmpty else {
            var audit = try makeAudit(asOf: asOf.map(EligibilityInstant.date) ?? .clock(.now))
            (audit.isHashing, audit.isReplacing) = (!withoutRoot, force)
            let counts = try audit.writeLines(to: ndjson ?? "-", jobs: jobs, report: progress.report)
            progress.end()
            // A filter that writes to standard output prints no summary.
            if let ndjson, !OutputPath.isStandardOutput(ndjson) { writeSummary(counts) }
            return try exit(counts)
        }
        // A resumed run keeps its evaluation date.
        let recorded = resume ? try output.flatMap { try Audit.recordedAsOf(in: $0) } : nil
        var audit = try makeAudit(asOf: asOf.map(EligibilityInstant.date) ?? recorded ?? .clock(.now))
        audit.isReplacing = force
        let counts = try audit.writeDatabase(
            to: output, lines: ndjson, page: report, tables: exports.csv,
            customers: exports.subjectVerdicts, shown: exports.shown, isResuming: resume,
            arguments: Array(CommandLine.arguments.dropFirst()),
            jobs: jobs, recordsPerCommit: recordsPerCommit, clock: { .now }, report: progress.report)
        progress.end()
        writeSummary(counts)
        try exit(counts)
    }

    func writeSummary(_ counts: AuditCounts) {
        for line in AuditSummary(counts).lines { StandardError.writeLine(line) }
    }

    private func verifyAgain(_ path: String, jobs: Int, _ progress: ProgressLine) throws {
        try InputFile(path: path).requireExistence()
        let recorded = try Audit.recordedSettings(in: path)
        let command = try recorded.map { try completed(by: $0, of: path) } ?? self
        if let recorded { StandardError.writeLine("settings from the database: \(recorded.summary)") }
        if newLists {
            StandardError.writeLine("revocation lists and policy: as given, instead of the database's")
        }
        let audit = try command.makeAudit(
            asOf: command.asOf.map(EligibilityInstant.date) ?? recorded?.asOf ?? .clock(.now))
        func change(_ line: String) {
            progress.end()
            try? StandardOutput.write(Array(line.printable.utf8) + [0x0A])
        }
        let (holds, counts) = try audit.replay(
            path, jobs: jobs, change: newLists ? change : nil,
            differ: {
                progress.end()
                StandardError.writeLine("\(path): \($0)")
            }, report: progress.report)
        progress.end()
        if let root = counts.root { StandardError.writeLine("Merkle root of the audit: \(root)") }
        let verdict = holds ? "every row matches" : "not every row matches"
        try StandardOutput.write(Array("\(counts.records) records verified again: \(verdict)\n".utf8))
        reportUnusedLists(counts)
        if !holds { throw ExitCode(1) }
        // A replay without records or with unreadable ones is not a success.
        if counts.unreadable > 0 {
            StandardError.writeError("\(counts.unreadable) of \(counts.records) records are unreadable")
        }
        reportEmptySources(counts)
        reportUnreadFields(counts)
        if counts.evaluated == 0 { StandardError.writeError("no record was verified") }
        if counts.unreadable > 0 || counts.evaluated == 0 || !counts.emptySources.isEmpty
            || !counts.unreadFields.isEmpty || counts.hasUnusableList
        {
            throw ExitCode(2)
        }
    }

    private func reportUnusedLists(_ counts: AuditCounts) {
        counts.unusedLists.forEach(
            counts.hasUnusableList ? StandardError.writeError : StandardError.writeLine)
    }

    private func reportEmptySources(_ counts: AuditCounts) {
        for source in counts.emptySources {
            StandardError.writeError("\(source): no records")
        }
    }

    private func reportUnreadFields(_ counts: AuditCounts) {
        for fields in counts.unreadFields {
            StandardError.writeError("\(fields) were not read; use --receipt-field, one run for each field")
        }
    }

    /// Exits with status 2 if something is unreadable or was not read, or if nothing was verified. Otherwise,
    /// exits with 1 if a receipt was refused.
    func exit(_ counts: AuditCounts) throws {
        if let leftOut = counts.leftOut.summary { StandardError.writeLine("skipped: \(leftOut)") }
        // If findings were checked, the summary contains the skipped checks.
        for field in counts.outcome == nil ? counts.missingFields : [] {
            StandardError.writeError("field \(field): not found in any record")
        }
        if counts.outcome == nil, counts.records > 0 { reportEmptySources(counts) }
        reportUnreadFields(counts)
        reportUnusedLists(counts)
        if counts.records == 0 {
            StandardError.writeError(
                counts.notSelected > 0
                    ? "no record has the values of --where" : "the sources contain no records")
        } else if counts.evaluated == 0, counts.unreadable == 0 {
            let foreign =
                counts.foreignValues > 0 ? ", \(counts.foreignValues) a value of another store" : ""
            StandardError.writeError(
                "no record was verified: \(counts.absent) of \(counts.records) records have an empty receipt\(foreign)"
            )
        } else if counts.isOfOtherAppsAlone {
            StandardError.writeError(
                "all \(counts.otherApps) verified records are of other apps; check --bundle-id and --app-apple-id"
            )
        }
        if counts.unreadable > 0 {
            let first = counts.firstUnreadable.map { "; first: \($0)" } ?? ""
            StandardError.writeError(
                "\(counts.unreadable) of \(counts.records) records are unreadable\(first)")
            throw ExitCode(2)
        }
        // A failed command may cause an empty stream, and a wrong path an empty folder.
        if counts.evaluated == 0 || !counts.missingFields.isEmpty || !counts.emptySources.isEmpty
            || !counts.unreadFields.isEmpty || counts.isOfOtherAppsAlone || counts.hasUnusableList
        {
            throw ExitCode(2)
        }
        if counts.refused > 0 { throw ExitCode(1) }
    }

    func makeAudit(asOf: EligibilityInstant) throws -> Audit {
        let anchors = try options.makeAnchors()
        let revocation = try options.revocation.inputs()
        let examiner = try options.makeExaminer(anchors: anchors, revocation)
        var settings = AuditSettings(asOf: asOf)
        settings.revocation = try RevocationFacts(revocation, examiner.verifier)
        settings.anchors = examiner.verifier.anchorFacts.map(AuditAnchor.init)
        settings.policy = options.policy
        settings.isCrossChecking = options.crossCheck
        settings.limits = examiner.verifier.limits
        settings.sha1Signatures = examiner.verifier.sha1Signatures
        settings.policies = policies.policies
        reading.apply(to: &settings)
        settings.reading.filter = walk.filter
        var question: EligibilityQuestion?
        if let given = try GivenCatalog(groups.catalog) {
            guard let digest = examiner.verifier.sha256(of: given.bytes) else {
                throw AuditError("OpenSSL failed to compute a SHA-256 digest")
            }
            settings.catalogDigest = hexadecimal(digest)
            let rules = OfferRules(
                catalog: given.catalog, policies: policies.policies)
            question = EligibilityQuestion(rules: rules, asOf: asOf)
        }
        var audit = Audit(
            sources: sources, settings: settings, examiner: examiner, question: question,
            revocation: revocation)
        audit.notify = { StandardError.writeLine($0) }
        return audit
    }
}
