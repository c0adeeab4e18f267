import AppReceipt
import ArgumentParser
import ReceiptAudit
import ReceiptCommands
import ReceiptExamination

struct AskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Answer an auditor's question from the database of an audit.",
        discussion: """
            Example: appreceipt ask trials-twice --database audit.sqlite

            Prints the number, its definition, the first rows and the accounts concerned. A purchase counts once, \
            regardless of the number of records that present it, and only purchases in Production count by default.

            To list the questions with their definitions:

              appreceipt ask questions

            To get all rows, or all accounts, as CSV:

              appreceipt ask refunds --from 2025-01-01 --database audit.sqlite --csv
              appreceipt ask refunds --database audit.sqlite --accounts --csv

            To browse the database in Datasette, with the same questions:

              appreceipt ask --database audit.sqlite --datasette metadata.json
              datasette -i audit.sqlite -m metadata.json --setting sql_time_limit_ms 60000

            The rows are not verified again; appreceipt audit --replay does that.

            Exit status: 0 the question was answered, whatever the number; 2 the database could not be read, or the \
            answer could not be written; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The name of a question, or questions to list them all.", valueName: "question"))
    var question: String?

    @Option(help: .file("The database of audit --output."))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "For active, lapsed and expiring: answer for this RFC 3339 date; the default is the audit's as-of date.",
            valueName: "date"), transform: instant)
    var on: Timestamp?

    @Option(
        help: ArgumentHelp(
            "For refunds, revenue and offers-used: count only from this RFC 3339 date on.", valueName: "date"),
        transform: instant)
    var from: Timestamp?

    @Option(
        help: ArgumentHelp(
            """
            For refunds, revenue and offers-used: count only before this RFC 3339 date. For expiring: count subscriptions that \
            end before it; the default is 30 days after --on.
            """, valueName: "date"),
        transform: instant)
    var to: Timestamp?

    @Option(
        help: ArgumentHelp(
            """
            For revenue: group by these columns, separated by commas; the default is month,currency. App and currency are \
            always included. (values: month, product, storefront, app, currency)
            """, valueName: "columns"))
    var by: String?

    @OptionGroup var scoped: ScopeOptions

    @Flag(help: "Print all rows as CSV.")
    var csv = false

    @Flag(help: "Print the answer, all rows and all accounts as one JSON object per line.")
    var json = false

    @Flag(help: "List all accounts concerned instead of the rows.")
    var accounts = false

    @Option(help: .file("Write metadata for Datasette with all questions to this new file."))
    var datasette: String?

    func validate() throws {
        if csv && json { throw ValidationError("--csv, --json: only one can be given") }
        if json && accounts { throw ValidationError("--accounts: --json lists the accounts, too") }
        for (name, path) in [("--database", database), ("--datasette", datasette)] where path == "" {
            throw ValidationError("\(name): empty path")
        }
        guard let question else {
            if datasette == nil {
                throw ValidationError("QUESTION: missing; appreceipt ask questions lists them")
            }
            return try requireDatabase()
        }
        if datasette != nil { throw ValidationError("--datasette: cannot be combined with a question") }
        guard question != Self.list else { return }
        guard let asked = try asked() else {
            let names = AuditQuestion.all.map(\.name) + [Self.list]
            throw ValidationError("QUESTION: '\(question)' is not one of \(names.joined(separator: ", "))")
        }
        let given: [(AuditQuestion.Parameter, String, Bool)] = [
            (.on, "--on", on != nil), (.from, "--from", from != nil), (.to, "--to", to != nil),
            (.realm, "--trust-anchor", scoped.trustAnchor != nil),
            (.environment, "--environment", scoped.environment != .production),
            (.app, "--bundle-id", scoped.app != nil),
        ]
        for (parameter, name, isGiven) in given where isGiven && !asked.parameters.contains(parameter) {
            let names = AuditQuestion.all.filter { $0.parameters.contains(parameter) }.map(\.name)
            throw ValidationError("\(name): only for \(names.joined(separator: ", "))")
        }
        if by != nil && question != Self.revenue { throw ValidationError("--by: only for \(Self.revenue)") }
        if let from, let to, from >= to { throw ValidationError("--from: must be before --to") }
        if let on, let to, on >= to { throw ValidationError("--on: must be before --to") }
        try requireDatabase()
    }

    private static let list = "questions"
    private static let revenue = "revenue"

    private func requireDatabase() throws {
        if database == nil { throw ValidationError("--database: required; audit --output FILE writes one") }
    }

    /// Returns the question, or nil if there is none of that name.
    private func asked() throws -> AuditQuestion? {
        guard question == Self.revenue, let by else { return question.flatMap(AuditQuestion.named) }
        let always = ["app", "currency"]
        let columns: [String: AuditQuestion.RevenueColumn] = [
            "month": .month, "product": .product, "storefront": .storefront,
        ]
        let names = by.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var chosen: [AuditQuestion.RevenueColumn] = []
        for name in names where !always.contains(name) {
            guard let column = columns[name] else {
                throw ValidationError(
                    "--by: '\(name)' is not one of month, product, storefront, app, currency")
            }
            if !chosen.contains(column) { chosen.append(column) }
        }
        return .revenue(by: chosen)
    }

    private var scope: QuestionScope {
        var scope = scoped.scope
        (scope.on, scope.from, scope.to) = (on, from, to)
        return scope
    }

    func run() throws {
        guard let question, question != Self.list else {
            if let datasette, let database {
                _ = try QuestionDatabase(path: database)
                TerminationSignals.install()
                return try DatasetteMetadata.write(to: datasette, ofDatabase: database)
            }
            return try StandardOutput.write(Array(AnswerText.questions.utf8))
        }
        guard let asked = try asked(), let path = database else { return }
        let database = try QuestionDatabase(path: path)
        try database.answer(asked, scope) { answer in
            if json {
                try answer.writeJSON(scope, to: StandardOutput.write)
            } else if csv {
                try answer.writeCSV(accounts ? .accounts : .rows, to: StandardOutput.write)
            } else {
                try StandardOutput.write(Array(AnswerText.text(answer, accounts: accounts).utf8))
            }
        }
        guard asked.parameters.contains(.realm) else { return }
        try scoped.reportUncounted(in: database)
        let unknown = asked.leavesOutUnknownOwners ? try database.unknownOwners(scope) : 0
        if unknown > 0 {
            let counted = "\(unknown) purchase\(unknown == 1 ? "" : "s")"
            StandardError.writeLine("not counted: \(counted) with an unknown owner")
        }
    }
}
