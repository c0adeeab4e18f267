import SQLite

/// The numbers and plots of each app. No number covers several apps.
struct ReportApps {
    struct App {
        let id: String
        let name: String
        let environment: String
        let figures: [ReportSummary.Figure]
        let plots: [ReportPlot]
        let offers: ReportChart
    }

    /// An app of the overview.
    struct AppLine {
        let anchor: String?
        let name: String
        let environment: String
        let numbers: [String]
    }

    struct Definition {
        let term: String
        let text: String
        let command: String
    }

    let apps: [App]
    let hasSeveral: Bool
    /// The headings of the overview's numbers.
    let headings: [String]
    let lines: [AppLine]
    let moreApps: String?
    /// The number of purchases that the figures leave out because their owner is unknown.
    let unknownOwners: String?
    let definitions: [Definition]

    /// The questions that each app's figures answer, and the words for them.
    private static let questions: [(question: AuditQuestion, label: String)] = [
        (.customers, "customers"), (.active, "active subscriptions"), (.refunds, "refunds"),
        (.offersUsed, "offers used"), (.trialsTwice, "accounts with several introductory offers"),
        (.sharedReceipts, "receipts of several accounts"),
    ]

    init(_ database: Connection, _ limits: Report.Limits, asOf: Int64) throws {
        let (keys, otherRecords) = try Self.keys(database)
        let shown = Array(keys.prefix(limits.apps))
        var facts = try AppFacts(of: Set(shown.map { $0.key }), database, asOf: asOf)
        var scope = QuestionScope()
        scope.environment = QuestionScope.anyEnvironment
        let skipped = Set<String>(
            try database.prepare("SELECT DISTINCT kind FROM not_looked_for WHERE kind IS NOT NULL").values())
        var numbers: [[AppKey: Int]?] = []
        for (question, _) in Self.questions {
            let answer = try QuestionAnswer(question, scope, of: database)
            let parts = answer.parts.map { (AppKey(environment: $0.labels[0], app: $0.labels[1]), $0.number) }
            // Texts that SQLite distinguishes may be equal in Swift.
            let isSkipped = question.kind.map(skipped.contains) ?? false
            numbers.append(isSkipped ? nil : Dictionary(parts, uniquingKeysWith: +))
            try facts.take(question, database, limit: limits.barsOfAChart)
        }
        func figures(_ key: AppKey, records: Int) -> [String] {
            [ReportText.count(records)]
                + numbers.map { $0.map { ReportText.count($0[key] ?? 0) } ?? "not checked" }
        }
        let labels = ["genuine records"] + Self.questions.map { $0.label }
        headings = labels.map(ReportText.capitalized)
        apps = shown.enumerated().map { number, app in
            let (key, records) = app
            let id = "app-\(number + 1)"
            return App(
                id: id, name: key.shownName, environment: key.shownEnvironment,
                figures: zip(labels, figures(key, records: records)).map {
                    ReportSummary.Figure(label: $0, count: $1, share: nil)
                }, plots: facts.plots(of: key, id, active: numbers[1]?[key] ?? 0, limits),
                offers: facts.offers(of: key, id, total: numbers[3]?[key] ?? 0, limits))
        }
        hasSeveral = keys.count > 1
        lines = keys.prefix(limits.appsOfTheOverview).enumerated().map { number, app in
            AppLine(
                anchor: number < shown.count ? "app-\(number + 1)" : nil, name: app.key.shownName,
                environment: app.key.shownEnvironment, numbers: figures(app.key, records: app.records))
        }
        var notes: [String] = []
        if otherRecords > 0 {
            let verb = otherRecords == 1 ? "is" : "are"
            notes.append(
                """
                \(ReportText.count(otherRecords, "genuine record")) of these apps in other environments \(verb) not \
                counted here.
                """)
        }
        if keys.count > shown.count {
            notes.append(
                """
                \(ReportText.count(shown.count)) of \(ReportText.count(keys.count, "app")) have a section, those with the \
                most records; “appreceipt ask” answers for every app.
                """)
        }
        moreApps = notes.isEmpty ? nil : notes.joined(separator: " ")
        let unknown = try scope.unknownOwners(database)
        let owners = "Not counted: \(ReportText.count(unknown, "purchase")) with an unknown owner."
        unknownOwners = unknown == 0 ? nil : owners
        definitions = Self.questions.map { question, label in
            Definition(term: label, text: question.definition, command: "appreceipt ask \(question.name)")
        }
    }

    /// Returns the apps with genuine records under the default roots, each in one environment. That is Production, or the
    /// environment with the most records if the app has none in Production. Apps with more records come first. `others` is the
    /// number of genuine records of these apps in their other environments.
    private static func keys(
        _ database: Connection
    ) throws -> (keys: [(key: AppKey, records: Int)], others: Int) {
        let keys = try database.prepare(
            """
            SELECT environment, bundle_id, count(*) AS records FROM receipts
            WHERE status = 'genuine' AND bundle_id IS NOT NULL AND realm = (SELECT realm FROM default_realm)
            GROUP BY environment, bundle_id
            ORDER BY environment IS NOT 'Production', records DESC, environment
            """
        ).map { row -> (key: AppKey, records: Int) in try (AppKey(row), row["records"]) }
        let byApp = Dictionary(
            keys.map { (Array(($0.key.app ?? "").utf8), $0) }, uniquingKeysWith: { first, _ in first })
        let chosen = byApp.sorted {
            $0.value.records == $1.value.records
                ? $0.key.lexicographicallyPrecedes($1.key) : $0.value.records > $1.value.records
        }.map(\.value)
        let others = keys.reduce(0) { $0 + $1.records } - chosen.reduce(0) { $0 + $1.records }
        return (chosen, others)
    }
}
