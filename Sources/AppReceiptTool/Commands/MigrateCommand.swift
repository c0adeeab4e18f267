import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptCommands

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "List the original transaction ids of receipts, to fetch from Apple's server.",
        discussion: """
            Example: appreceipt migrate --database audit.sqlite --output ids --parts 8

            Writes a line of JSON for each app, environment and original transaction id, with everything that the audit's \
            genuine evidence shows about it. The most urgent ids come first: subscriptions by their last expiration, then other \
            purchases by their last purchase, the latest first. A purchase without an original transaction id has its \
            transaction id. The files of --output are dealt in turn, so that each worker starts with the most urgent ids.

            To make the database, or to do without one:

              appreceipt audit receipts --output audit.sqlite
              appreceipt migrate receipts --output ids --parts 8

            To continue after an interruption, without the ids that saved answers cover:

              appreceipt migrate --database audit.sqlite --done answers.ndjson --output rest --parts 8

            To compare receipts with Apple's answers, audit both into one database, and see which receipts can be deleted:

              appreceipt audit receipts answers.ndjson --output both.sqlite
              appreceipt migrate --database both.sqlite --compare

            Exit status: 0 the list was written, or with --compare the audit read all records, every purchase of the receipts is \
            in complete answers and nothing contradicts; 1 with --compare, otherwise; 2 something could not be read or written, \
            or no record of the sources was verified; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Folders, exports, archives or receipts to audit first, instead of --database.",
            valueName: "source"))
    var sources: [String] = []

    @Option(help: .file("The database of audit --output."))
    var database: String?

    @OptionGroup var scoped: ScopeOptions

    @Option(
        name: .customLong("done"),
        help: .file(
            """
            Leave out the ids of this file or folder: ids, one a line; lines of this command; or answers of Get Transaction \
            History with all pages in one record. Statuses do not count. May be repeated.
            """))
    var done: [String] = []

    @Flag(help: "Write CSV that is safe to open in spreadsheets.")
    var csv = false

    @Option(help: .folder("Write files to this new or empty folder instead of standard output."))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Deal the ids to this many files of --output; the default is 1.", valueName: "count"))
    var parts: Int?

    @Flag(
        help: """
            Compare the receipts with Apple's answers in the database: for each id, what agrees, what is newer and what \
            contradicts. Then print the coverage of each app and environment.
            """)
    var compare = false

    @Option(
        name: .customLong("unknown"),
        help: .file(
            """
            With --compare: Apple's server answered that it does not know the ids of this file, one a line, or lines of this \
            command. May be repeated.
            """))
    var unknown: [String] = []

    @OptionGroup var groups: CatalogOptions

    @OptionGroup var reading: SourceOptions

    @OptionGroup var walk: WalkOptions

    @Option(help: SharedHelp.root)
    var root: String?

    @Option(name: .customLong("also-root"), help: SharedHelp.alsoRoot)
    var otherRoots: [String] = []

    @Option(name: .customLong("storekit-test-root"), help: SharedHelp.storeKitTestRoot)
    var storeKitTestRoots: [String] = []

    /// The options of the audit, which a database has instead.
    private var arguments: [String] {
        var arguments = root.map { ["--root", $0] } ?? []
        for other in otherRoots { arguments += ["--also-root", other] }
        for other in storeKitTestRoots { arguments += ["--storekit-test-root", other] }
        return arguments + ["--"] + sources
    }

    func validate() throws {
        guard (database == nil) == !sources.isEmpty else {
            throw ValidationError("give either sources or --database FILE")
        }
        if database != nil, groups.isGiven || root != nil || !otherRoots.isEmpty || !storeKitTestRoots.isEmpty
        {
            throw ValidationError(
                "--catalog, --root, --also-root, --storekit-test-root: cannot be combined with --database"
            )
        }
        for (name, paths) in [
            ("--database", database.map { [$0] } ?? []), ("--output", output.map { [$0] } ?? []),
            ("--done", done),
            ("--unknown", unknown),
        ]
        where paths.contains("") {
            throw ValidationError("\(name): empty path")
        }
        if compare, output != nil || !done.isEmpty {
            throw ValidationError("--compare: cannot be combined with --output or --done")
        }
        if !compare, !unknown.isEmpty { throw ValidationError("--unknown: requires --compare") }
        guard let parts else { return }
        if output == nil { throw ValidationError("--parts: requires --output FOLDER") }
        if !(1...MigrationList.mostParts).contains(parts) {
            throw ValidationError("--parts: \(parts) is not a number from 1 to \(MigrationList.mostParts)")
        }
    }

    func run() throws {
        TerminationSignals.install()
        let folder = try output.map { try NewFolder($0) }
        let audit = try makeAudit()
        let opened = try openDatabase(audit)
        let list = try MigrationList(
            of: opened, scoped.scope, fetched: done, unknown: unknown, isComparing: compare)
        let format: MigrationList.Format = csv ? .csv : .ndjson
        if let folder {
            try list.write(format, to: folder, parts: parts ?? 1)
        } else {
            try list.write(format, to: StandardOutput.write)
        }
        let coverage = compare ? try list.coverage() : []
        if compare, !csv {
            try StandardOutput.write(coverage.flatMap(\.line))
        }
        report(list)
        for coverage in coverage { StandardError.writeLine(Self.text(coverage)) }
        if compare {
            let refused = try list.refused()
            if refused > 0 {
                StandardError.writeLine(
                    "not compared: \(refused) refused record\(refused == 1 ? "" : "s"), which may show other ids"
                )
            }
        }
        try scoped.reportUncounted(in: opened)
        let unread = try list.unread()
        for unread in unread { StandardError.writeLine("\(unread): not all receipts were read") }
        if let audit, let counts = opened.counts { try Self.requireRead(audit, counts) }
        guard compare else { return }
        if coverage.isEmpty { StandardError.writeLine("no receipt shows a purchase") }
        if coverage.isEmpty || !coverage.allSatisfy(\.isComplete) || !unread.isEmpty { throw ExitCode(1) }
    }

    /// Returns the audit of the sources, or nil if there is a database.
    private func makeAudit() throws -> AuditCommand? {
        guard database == nil else { return nil }
        var audit = try AuditCommand.parse(arguments)
        (audit.groups, audit.reading, audit.walk) = (groups, reading, walk)
        return audit
    }

    /// Exits with status 2 where the audit does. Refused records have no ids and leave the status.
    private static func requireRead(_ audit: AuditCommand, _ counts: AuditCounts) throws {
        StandardError.writeLine("audited " + AuditSummary.records(counts))
        do {
            try audit.exit(counts)
        } catch let status as ExitCode where status.rawValue == 1 {}
    }

    private func openDatabase(_ audit: AuditCommand?) throws -> QuestionDatabase {
        guard let audit else { return try QuestionDatabase(path: database ?? "") }
        let progress = ProgressLine(sources: sources)
        defer { progress.end() }
        return try QuestionDatabase(
            auditing: audit.makeAudit(asOf: .clock(.now)),
            arguments: Array(CommandLine.arguments.dropFirst()), jobs: processorCount, clock: { .now },
            report: progress.report)
    }

    private static func text(_ coverage: MigrationCoverage) -> String {
        let place = "\(coverage.bundleID ?? "no app"), \(coverage.environment ?? "no environment")"
        let without = coverage.withoutID == 0 ? "" : ", \(coverage.withoutID) purchases without an id"
        return """
            \(place): \(coverage.percentage) % of ids covered: \(coverage.agrees) agree, \(coverage.newer) newer, \
            \(coverage.contradicts) contradict, \(coverage.notCompared) not compared\(without)
            """
    }

    private func report(_ list: MigrationList) {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        if !compare { StandardError.writeLine("\(count(list.count, "original transaction id")) to fetch") }
        if let fetched = list.fetched {
            StandardError.writeLine(
                "left out: \(count(list.done, "id")) of \(count(fetched.count, "id")) in --done")
            if fetched.uncovering > 0 {
                StandardError.writeLine(
                    "--done: covers no id: \(count(fetched.uncovering, "value")) (pages, statuses, single transactions, errors, ids not covered)"
                )
            }
        }
        if list.withoutID > 0 {
            StandardError.writeLine(
                "left out: \(count(list.withoutID, "purchase")) without an id, which cannot be fetched")
        }
        if list.local > 0 {
            StandardError.writeLine(
                "left out: \(count(list.local, "purchase")) of Xcode, which Apple's server does not know")
        }
    }
}
