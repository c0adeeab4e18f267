import RecordSources
import SQLite

/// The results, and the facts that the reader must know first.
struct ReportSummary {
    struct Figure {
        let label: String
        let count: String
        let share: String?
    }

    let style: String
    let policy: String
    let asOf: Int64
    let asked: String
    let version: String
    let run: Row
    let banner: String?
    let shown: String?
    let verdict: String
    let rejected: String?
    let figures: [Figure]
    let found: ReportFindings
    let customers: ReportCustomers

    init(
        _ database: Connection, _ dates: ShownDates, _ renderer: ReportRenderer, _ found: ReportFindings,
        _ customers: ReportCustomers
    ) throws {
        guard let run = try database.prepare("SELECT * FROM runs").firstRow() else {
            throw AuditError("the database contains no audit run")
        }
        (self.run, self.found, self.customers) = (run, found, customers)
        (style, policy) = (renderer.style, renderer.policy)
        asOf = try run["as_of"]
        (asked, version) = (ReportText.date(asOf), ReportText.shown(try run["tool_version"]))
        let records: Int = try run["records"]
        func figure(_ label: String, _ count: Int) -> Figure {
            Figure(label: label, count: ReportText.count(count), share: ReportText.share(count, of: records))
        }
        let kinds = try Self.kinds(database)
        let tests = try Self.testRecords(database)
        let others: [(String, Int)] = try [
            ("in test environments", tests), ("unreadable", run["unreadable"]), ("absent", run["absent"]),
            ("of other apps", run["other_apps"]), ("of other stores", run["foreign_values"]),
        ]
        var figures = try [
            Figure(label: "records", count: ReportText.count(records), share: nil),
            figure("genuine", run["genuine"]), figure("refused", run["refused"]),
            figure("not Apple's", run["not_apples"]), Self.customers(database, tests: tests),
        ]
        figures += others.filter { $0.1 > 0 }.map { figure($0, $1) }
        figures += kinds.map { figure("genuine \($0)", $1) }
        self.figures = figures
        banner = try Self.banner(run, database)
        shown = try Self.shown(dates, run, database)
        verdict = try Self.verdict(run, found, forgotten: AuditDatabase.forgotten(database))
        rejected = try Self.rejected(run, database)
    }

    /// Returns the sentence that the page starts with.
    private static func verdict(_ run: Row, _ found: ReportFindings, forgotten: Int) throws -> String {
        let (records, genuine): (Int, Int) = try (run["records"], run["genuine"])
        let (refused, unreadable): (Int, Int) = try (run["refused"], run["unreadable"])
        func part(_ count: Int, _ singular: String, _ plural: String) -> String {
            "\(ReportText.count(count)) \(count == 1 ? singular : plural)"
        }
        let rare: [(count: Int, singular: String, plural: String)] = try [
            (run["other_apps"], "is of another app", "are of other apps"),
            (run["foreign_values"], "is of another store", "are of other stores"),
            (run["absent"], "holds no receipt", "hold no receipt"),
        ]
        let parts =
            [part(genuine, "is genuine", "are genuine"), part(refused + unreadable, "is not", "are not")]
            + rare.filter { $0.count > 0 }.map { part($0.count, $0.singular, $0.plural) }
        let start =
            "Of \(ReportText.count(records, "record")), \(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1])"
            + (forgotten == 0
                ? ""
                : ", and \(ReportText.count(forgotten)) of them \(forgotten == 1 ? "was" : "were") forgotten since")
        guard let first = found.kinds.first else {
            return "\(start); no check found anything."
        }
        guard first.number > 0 else {
            return "\(start); there are findings, first “\(first.title)” (\(first.count))."
        }
        return """
            \(start); findings concern \(ReportText.count(found.accounts, "account")), \
            \(ReportText.count(first.number)) of them under “\(first.title)”.
            """
    }

    /// Returns the answer to the question `customers`: in Production, or in all environments if there is no
    /// evidence from Production.
    private static func customers(_ database: Connection, tests: Int) throws -> Figure {
        var scope = QuestionScope()
        var number = try QuestionAnswer(.customers, scope, of: database).number
        if number == 0 {
            scope.environment = QuestionScope.anyEnvironment
            number = try QuestionAnswer(.customers, scope, of: database).number
        }
        let label =
            scope.environment == QuestionScope.anyEnvironment
            ? "customers, test environments" : tests > 0 ? "customers in Production" : "customers"
        return Figure(label: label, count: ReportText.count(number), share: nil)
    }

    /// Returns the number of genuine records from test environments, in which purchases cost nothing.
    private static func testRecords(_ database: Connection) throws -> Int {
        let count: Int? = try database.prepare(
            "SELECT count(*) FROM main.receipts WHERE status = 'genuine' AND environment <> 'Production'"
        ).firstValue()
        return count ?? 0
    }

    /// Returns the kinds of the genuine records, unless all are receipts.
    private static func kinds(_ database: Connection) throws -> [(String, Int)] {
        let kinds = try database.prepare(
            """
            SELECT kind, count(*) AS records FROM main.receipts WHERE kind IS NOT NULL AND status <> 'foreign' GROUP BY kind ORDER BY kind
            """
        ).map { row -> (kind: String, records: Int) in try (row["kind"], row["records"]) }
        guard kinds.contains(where: { $0.kind != "receipt" }) else { return [] }
        return kinds.map { (AuditCounts.shown(kind: $0.kind, $0.records), $0.records) }
    }

    /// Returns a warning if objects were signed under roots other than Apple's, because they prove nothing
    /// about the App Store.
    private static func banner(_ run: Row, _ database: Connection) throws -> String? {
        let realms = try database.prepare(
            """
            SELECT realm, count(*) AS receipts FROM main.receipts WHERE realm <> 'app_store' GROUP BY realm
            """)
        let names = ["custom": "a root of your own", "storekit_test": "StoreKit Test"]
        let parts = try realms.map { row in
            try "\(ReportText.count(row["receipts"])) under \(names[row["realm"]] ?? "another root")"
        }
        let anchors = try AuditAnchor.list(run["anchors"])
        guard !parts.isEmpty || (!anchors.isEmpty && anchors.allSatisfy { $0.realm != "app_store" }) else {
            return nil
        }
        guard !parts.isEmpty else {
            return """
                Your own root is trusted instead of Apple's, so nothing here proves anything about the App Store.
                """
        }
        return try """
        \(ReportText.count(run["not_apples"])) of \(ReportText.count(run["genuine"], "genuine receipt")) \
        (\(parts.joined(separator: ", "))) prove nothing about the App Store.
        """
    }

    private static func shown(_ dates: ShownDates, _ run: Row, _ database: Connection) throws -> String? {
        guard let text = dates.text else { return nil }
        let genuine: Int =
            try database.prepare("SELECT count(*) FROM receipts WHERE status = 'genuine'").firstValue() ?? 0
        let hidden: Int? = try database.prepare(
            "SELECT (SELECT count(*) FROM main.incidents) - (SELECT count(*) FROM incidents)"
        ).firstValue()
        let rest = hidden.flatMap { $0 == 0 ? nil : $0 }.map {
            " \(ReportText.count($0, "finding")) based only on receipts of other dates \($0 == 1 ? "is" : "are") not shown."
        }
        return try """
        This report shows receipts created \(text): \(ReportText.count(genuine)) of \
        \(ReportText.count(run["genuine"], "genuine receipt")) with their findings, and all refused, unreadable and \
        absent records, whose dates are unknown. All records were verified, and the numbers of records count all. Customers, \
        subscriptions, offers and refunds are only those that the shown receipts contain.\(rest ?? "")
        """
    }

    /// Returns the counts of refused and unreadable records, with the reasons of the refusals.
    private static func rejected(_ run: Row, _ database: Connection) throws -> String? {
        let (refused, unreadable): (Int, Int) = try (run["refused"], run["unreadable"])
        var parts: [String] = []
        if refused > 0 {
            let reasons = try database.prepare(
                """
                SELECT reason, receipts FROM refusals_by_reason WHERE reason <> 'unreadable'
                ORDER BY receipts DESC, reason LIMIT 8
                """
            ).map { row -> String in
                let (reason, count): (String, Int) = try (row["reason"], row["receipts"])
                return "\(ReportText.count(count)) \(reason)"
            }
            let verb = refused == 1 ? "is" : "are"
            parts.append("\(ReportText.count(refused)) \(verb) refused (\(reasons.joined(separator: ", ")))")
        }
        if unreadable > 0 {
            parts.append("\(ReportText.count(unreadable)) \(unreadable == 1 ? "is" : "are") unreadable")
        }
        guard !parts.isEmpty else { return nil }
        return try """
        Of \(ReportText.count(run["records"], "record")), \(parts.joined(separator: " and ")). Findings do not cover \
        them, because their content is not authenticated.
        """
    }
}
