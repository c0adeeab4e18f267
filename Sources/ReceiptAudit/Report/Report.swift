import Foundation

/// The account of an audit for a person: one HTML file, made of the rows of its database and of nothing else.
///
/// What is shown in detail is capped, so that a browser and this process both bear a million receipts; each cap
/// is said where it cuts, with the query for the rest.
struct Report {
    /// How much of each kind is shown.
    struct Limits {
        var rows = 2000
        var details = 200
        var findingsOfAKind = 25
        var evidenceOfAFinding = 10
        var purchasesOfAReceipt = 60
        var verdictsOfAReceipt = 20
        var barsOfAChart = 36
    }

    let database: AuditDatabase
    let limits: Limits

    init(of database: AuditDatabase, limits: Limits = Limits()) {
        self.database = database
        self.limits = limits
    }

    /// A name that is nobody's yet: beside the path, where it can be renamed.
    static func partial(_ path: String) -> String { "\(path).\(UUID().uuidString).part" }

    /// Writes beside the path and renames, so that what stands at the path is whole.
    func write(to path: String) throws {
        let partial = Self.partial(path)
        UnfinishedFile.begin(partial)
        defer { UnfinishedFile.end() }
        let sink = try LineSink(path: partial, name: path)
        do {
            try render { try sink.write(Array($0.utf8)) }
            guard unsafe rename(partial, path) == 0 else {
                throw AuditError("\(path): \(systemMessage(errno))")
            }
        } catch {
            _ = unsafe unlink(partial)
            throw error
        }
    }

    /// Hands over the report piece by piece.
    func render(to write: (String) throws -> Void) throws {
        guard try database.holdsRun(), try database.progress().isFinished else {
            throw AuditError("\(database.path): holds no finished run")
        }
        let templates = try ReportTemplates()
        try database.access { database in
            let summary = try ReportSummary(database)
            try write(templates.render("page", summary.page(templates)))
            try write(templates.render("charts", ["charts": ReportChart.all(database, limits)]))
            let shown = try ShownReceipts(database, limits)
            try write(templates.render("findings", ReportFindings(database, limits, shown)))
            try write(templates.render("receipts", ReportTable(database, limits, shown)))
            for id in shown.detailed.sorted() {
                try write(
                    templates.render("receipt", ReceiptDetail(id, database, limits, asOf: summary.asOf)))
            }
            try write(templates.render("foot", ["script": ReportTemplates.script]))
        }
    }
}
