import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Verifies any number of receipts, JWS and notifications and says what does not add up.",
        discussion: """
            Example: appreceipt audit export.ndjson --catalog Store.storekit --output audit.sqlite

            A source is a folder of receipts, an export as JSON, NDJSON, CSV or TSV with fields for the receipt and, \
            where known, an id and the subject that presented it, a tar archive of receipts, a single receipt, or - \
            for JSON on standard input; exports and archives gzipped or not, texts in UTF-8 or UTF-16. Receipts that \
            an export wrapped (percent-encoding, escapes, data URIs, quotes, hexadecimal, base64 twice) are \
            unwrapped, and their answers say so. Signed transactions, renewal information, app transactions, notifications, \
            realtime requests, answers of the App Store Server API and transaction receipts stand wherever receipts do, one answer \
            for each signed object. As a filter, line for line and without a database:

              appreceipt audit - --ndjson -

            Where nothing says what to write, the lines go to standard output.

            Exit status: 0 everything genuine; 1 something was refused; 2 something could not be read or written, nothing \
            was judged, or a field that was named stands in no record; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Folders, exports, archives, receipts, or - for standard input.", valueName: "source"))
    var sources: [String]

    @Option(
        help: ArgumentHelp("Write a line of NDJSON for each record; - is standard output.", valueName: "file")
    )
    var ndjson: String?

    @Option(help: ArgumentHelp("Write an SQLite database, with findings.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Write an account for a person, as one HTML file.", valueName: "file"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Verify the sources again and say whether every row of this database still holds.",
            valueName: "file"))
    var replay: String?

    @Flag(help: "Take up the run that --output holds, where it was killed.")
    var resume = false

    @OptionGroup var groups: CatalogOptions

    @Option(
        help: ArgumentHelp(
            "Ask about this instant, RFC 3339. Without it, the machine's clock is read, once.",
            valueName: "date"),
        transform: instant)
    var asOf: Timestamp?

    @Option(help: ArgumentHelp("Threads; as many as the machine has cores.", valueName: "count"))
    var jobs: Int?

    @OptionGroup(title: "Reading") var reading: SourceOptions

    @OptionGroup(title: "Reading") var walk: WalkOptions

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
            throw ValidationError("--replay writes nothing: give it sources and settings alone.")
        }
        if resume && output == nil && evidence.evidence == nil {
            throw ValidationError("--resume takes up the run of --output FILE or of --evidence FOLDER.")
        }
        let isWritingElsewhere = ndjson != nil || report != nil || !exports.isEmpty
        try evidence.validate(
            output: output, isAlone: !isWritingElsewhere && replay == nil, isResuming: resume)
        if resume && ndjson == "-" {
            throw ValidationError("What went to standard output cannot be taken up: give --ndjson FILE.")
        }
        if let jobs, !(1...1024).contains(jobs) {
            throw ValidationError("--jobs is a number of threads from 1 to 1024, not \(jobs).")
        }
        if sources.filter({ $0 == "-" }).count > 1 {
            throw ValidationError("Standard input can be read once.")
        }
        if recordsPerCommit < 1 { throw ValidationError("--records-per-commit is a number from 1 on.") }
        if ndjson == "-" && exports.subjectVerdicts == "-" {
            throw ValidationError(
                "Standard output takes the lines of --ndjson or of --subject-verdicts, not both.")
        }
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
        var inputs: [(String, String?)] = sources.map { ("a source", $0) }
        inputs += options.storeKitTestRoots.map { ("--storekit-test-root", $0) }
        inputs += [
            ("--root", options.root), ("--replay", replay),
            ("--database", evidence.database),
        ]
        inputs += groups.files
        var used: [String: String] = [:]
        for case (let name, let path?) in inputs + outputs {
            if path.isEmpty { throw ValidationError("A path is empty: that of \(name).") }
            let isOutput = outputs.contains { $0.0 == name }
            guard path != "-" else {
                guard !isOutput || name == "--ndjson" || name == "--subject-verdicts" else {
                    throw ValidationError(
                        "Only --ndjson and --subject-verdicts write to standard output: \(name) needs a file."
                    )
                }
                continue
            }
            let file = InputFile(path: path)
            let identity = try file.identity
            if isOutput, let folder = try sources.first(where: { try file.isBelow(InputFile(path: $0)) }) {
                throw ValidationError("\(name) would be one of the files of the source \(folder): \(path)")
            }
            if isOutput, let other = used[identity] {
                throw ValidationError("\(name) and \(other) are the same file: \(path)")
            }
            used[identity] = name
        }
        for path in output.map(DatabaseFile.companionPaths) ?? [] {
            guard let other = try used[InputFile(path: path).identity] else { continue }
            throw ValidationError("\(other) has a name that SQLite makes of --output and deletes: \(path)")
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
        if let report { try ReportFile.requireRoom(at: report, isReplacing: resume) }
        try exports.requireRoom(isReplacing: resume)
        guard output != nil || report != nil || !exports.isEmpty else {
            var audit = try makeAudit(asOf: asOf.map(EligibilityInstant.date) ?? .clock(.now))
            audit.isHashing = !withoutRoot
            let counts = try audit.writeLines(to: ndjson ?? "-", jobs: jobs, report: progress.report)
            progress.end()
            // A filter that writes to standard output prints no summary.
            if let ndjson, ndjson != "-" { tell(counts) }
            return try exit(counts)
        }
        // A resumed run keeps its evaluation date.
        let recorded = resume ? try output.flatMap { try Audit.recordedAsOf(in: $0, isReadOnly: false) } : nil
        let audit = try makeAudit(asOf: asOf.map(EligibilityInstant.date) ?? recorded ?? .clock(.now))
        let counts = try audit.writeDatabase(
            to: output, lines: ndjson, page: report, tables: exports.csv,
            customers: exports.subjectVerdicts, shown: exports.shown, isResuming: resume,
            arguments: Array(CommandLine.arguments.dropFirst()),
            jobs: jobs, recordsPerCommit: recordsPerCommit, clock: { .now }, report: progress.report)
        progress.end()
        tell(counts)
        try exit(counts)
    }

    func tell(_ counts: AuditCounts) {
        for line in AuditAccount(counts).lines { StandardError.writeLine(line) }
    }

    private func verifyAgain(_ path: String, jobs: Int, _ progress: ProgressLine) throws {
        try InputFile(path: path).requireExistence()
        let recorded = try Audit.recordedSettings(in: path)
        let command = try recorded.map { try completed(by: $0, of: path) } ?? self
        if let recorded { StandardError.writeLine("asked as the database says: \(recorded.summary)") }
        let audit = try command.makeAudit(
            asOf: command.asOf.map(EligibilityInstant.date) ?? recorded?.asOf ?? .clock(.now))
        let (holds, counts) = try audit.replay(
            path, jobs: jobs,
            differ: {
                progress.end()
                StandardError.writeLine("\(path): \($0)")
            }, report: progress.report)
        progress.end()
        if let root = counts.root { StandardError.writeLine("root of all records: \(root)") }
        let verdict = holds ? "every row holds" : "not every row holds"
        try StandardOutput.write(Array("\(counts.records) records verified again: \(verdict)\n".utf8))
        if !holds { throw ExitCode(1) }
        // A replay without records or with unreadable ones is not a success.
        if counts.unreadable > 0 {
            StandardError.writeLine("\(counts.unreadable) of \(counts.records) records cannot be read")
        }
        tellOfEmptySources(counts)
        if counts.judged == 0 { StandardError.writeLine("nothing was judged") }
        if counts.unreadable > 0 || counts.judged == 0 || !counts.emptySources.isEmpty { throw ExitCode(2) }
    }

    private func tellOfEmptySources(_ counts: AuditCounts) {
        for source in counts.emptySources {
            StandardError.writeLine("\(source): the source holds no records")
        }
    }

    /// Exits with status 2 if something is unreadable or nothing was verified, or with 1 if a receipt was
    /// refused.
    func exit(_ counts: AuditCounts) throws {
        if let leftOut = counts.leftOut.summary { StandardError.writeLine("left out: \(leftOut)") }
        // If findings were checked, the summary contains the skipped checks.
        for field in counts.outcome == nil ? counts.missingFields : [] {
            StandardError.writeLine(
                "no record has the field \(field) that was named: what it says was not looked at")
        }
        if counts.outcome == nil, counts.records > 0 { tellOfEmptySources(counts) }
        if counts.records == 0 {
            StandardError.writeLine("the sources hold no records: nothing was judged")
        } else if counts.judged == 0, counts.unreadable == 0 {
            StandardError.writeLine(
                "\(counts.absent) of \(counts.records) records say that they hold no receipt: nothing was judged"
            )
        }
        if counts.unreadable > 0 {
            let first = counts.firstUnreadable.map { "; the first: \($0)" } ?? ""
            StandardError.writeLine(
                "\(counts.unreadable) of \(counts.records) records cannot be read\(first)")
            throw ExitCode(2)
        }
        // A failed command may cause an empty stream, and a wrong path an empty folder.
        if counts.judged == 0 || !counts.missingFields.isEmpty || !counts.emptySources.isEmpty {
            throw ExitCode(2)
        }
        if counts.refused > 0 { throw ExitCode(1) }
    }

    private func digest(_ bytes: [UInt8], _ examiner: Examiner) throws(Failure) -> String {
        guard let digest = examiner.verifier.sha256(of: bytes) else {
            throw Failure("OpenSSL makes no SHA-256")
        }
        return hexadecimal(digest)
    }

    func makeAudit(asOf: EligibilityInstant) throws -> Audit {
        let anchors = try options.makeAnchors()
        let examiner = try options.makeExaminer(anchors: anchors)
        var settings = AuditSettings(asOf: asOf)
        settings.anchors = examiner.verifier.anchorFacts.map(AuditAnchor.init)
        settings.demands = options.demands
        settings.isCrossChecking = options.crossCheck
        settings.limits = examiner.verifier.limits
        settings.sha1Signatures = examiner.verifier.sha1Signatures
        settings.policies = policies.policies
        reading.apply(to: &settings)
        settings.filter = walk.filter
        var question: EligibilityQuestion?
        if let given = try GivenCatalog(groups.catalog) {
            settings.catalogDigest = try digest(given.bytes, examiner)
            let rules = OfferRules(
                catalog: given.catalog, policies: policies.policies)
            question = EligibilityQuestion(rules: rules, asOf: asOf)
        }
        var audit = Audit(sources: sources, settings: settings, examiner: examiner, question: question)
        audit.tell = { StandardError.writeLine($0) }
        return audit
    }
}
