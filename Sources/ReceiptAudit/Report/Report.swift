import RecordSources
import SQLite

/// The report of an audit for people: one HTML file, made only from the rows of its database.
///
/// The amount of detail is limited, so that browsers and this process can handle a million receipts. The
/// report states each limit where it applies, with the query for the rest.
struct Report {
    /// The maximum numbers of shown items.
    struct Limits {
        var rows = 2000
        var details = 200
        var worstOfAKind = 3
        var incidentsOfAKind = 50
        var apps = 12
        var appsOfTheOverview = 100
        var columnsOfAPlot = 60
        var findingsOfAnIncident = 10
        var evidenceOfAnIncident = 20
        var inputs = 200
        var productsOfCustomers = 20
        var answers = 100
        var purchasesOfAReceipt = 60
        var verdictsOfAReceipt = 20
        var barsOfAChart = 20
    }

    let database: AuditDatabase
    let limits: Limits
    private let dates: ShownDates

    /// Creates a report.
    /// - Parameter dates: The dates that were passed to ``AuditDatabase/show(_:)``.
    init(of database: AuditDatabase, limits: Limits = Limits(), shown dates: ShownDates = ShownDates()) {
        (self.database, self.limits, self.dates) = (database, limits, dates)
    }

    /// Writes the report. The file at the path is always complete.
    func write(to path: String) throws {
        try UnfinishedFile.write(to: path) { sink in try render { try sink.write(Array($0.utf8)) } }
    }

    /// Passes the parts of the report to `write` in order.
    func render(to write: (String) throws -> Void) throws {
        guard try database.holdsRun(), try database.progress().isFinished else {
            throw AuditError("\(database.path): contains no finished audit run")
        }
        try database.access { database in
            try Self.computePurchases(database)
            let shown = try ShownReceipts(database, limits)
            let templates = try ReportRenderer(rows: shown.listed.count)
            let found = try ReportFindings(database, limits, shown)
            let customers = try ReportCustomers(database, limits, shown)
            let summary = try ReportSummary(database, dates, templates, found, customers)
            try write(templates.render("page", summary))
            try write(templates.render("apps", ReportApps(database, limits, asOf: summary.asOf)))
            try write(templates.render("customers", customers))
            try write(templates.render("findings", found))
            try write(templates.render("receipts", ReportTable(database, limits, shown)))
            for id in shown.detailed.sorted() {
                try write(
                    templates.render("receipt", ReceiptDetail(id, database, limits, asOf: summary.asOf)))
            }
            try write(templates.render("foot", ReportSettings(database, summary.run, limits)))
        }
    }

    /// Computes the view `purchases` once for all queries. Temporary objects take precedence over those of the database.
    private static func computePurchases(_ database: Connection) throws {
        let names: [String] = try database.prepare("SELECT name FROM temp.sqlite_master").values()
        guard !names.contains("computed_purchases") else { return }
        try database.execute("CREATE TEMP TABLE computed_purchases AS SELECT * FROM purchases")
        if !names.contains("purchases") { try database.execute(AuditSchema.temporaryViews) }
        try database.execute(
            "DROP VIEW temp.purchases; CREATE TEMP VIEW purchases AS SELECT * FROM computed_purchases")
    }
}
