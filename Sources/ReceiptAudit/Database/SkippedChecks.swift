import AppReceipt
import OfferEligibility
import RecordSources
import SQLite

/// The record of which checks were skipped and why. A check that was skipped must not be mistaken for one
/// that found nothing.
enum SkippedChecks {
    private typealias Omission = (kind: String?, title: String, reason: String)

    static func insert(
        genuine: GenuineCounts, asked: AskedProducts?, unused: LinkedEvidence.Unused = .init(),
        emptySources: [String] = [], unreadFields: [String] = [], into database: Connection
    ) throws {
        guard let run = try database.prepare(run).firstRow() else { return }
        let nothing = emptySources.map { source -> Omission in
            (nil, "The records of \(ReportText.shown(source))", "the source holds no records")
        }
        let unread = unreadFields.map { fields -> Omission in
            (nil, ReportText.shown(fields), "another field has receipts too, and only that one was read")
        }
        // The last ones, so that they do not change the numbers of the others.
        for omission in try nothing + unread + omissions(run, genuine, database) + omissions(asked, database)
            + omissions(unused) + revocationOmissions(database)
        {
            try database.prepare(
                "INSERT INTO not_looked_for (kind, title, reason) VALUES (?, ?, ?)", omission.kind,
                omission.title, omission.reason
            ).execute()
        }
    }

    private static let run = """
        SELECT json_extract(settings, '$."device-id"') AS device,
            json_extract(settings, '$."bundle-id"') AS bundle, catalog_sha256 AS catalog, missing_fields,
            \(subject("ASC")) = \(subject("DESC")) AS isOneSubject,
            (SELECT count(*) FROM customers WHERE unjudged = '\(CustomerSnapshot.isTooLongBecause)') AS unjudged
        FROM runs
        """

    /// Returns the products and apps that no question covers. A scoped catalog that lists them would cover
    /// them.
    private static func omissions(_ asked: AskedProducts?, _ database: Connection) throws -> [Omission] {
        guard let asked else { return [] }
        var omissions: [Omission] = []
        let unshown = try asked.unshown(in: database)
        if !unshown.isEmpty {
            let names = unshown.map(ReportText.shown).joined(separator: ", ")
            omissions.append(
                (
                    nil, "Offers of \(ReportText.count(unshown.count, "product")): \(names)",
                    "the evidence is of several apps and shows no purchase of these products, and the catalog does not "
                        + "assign them to apps (--catalog APP=FILE)"
                ))
        }
        let unasked = try asked.unasked(in: database)
        if unasked.count > 0 {
            let more = unasked.count - unasked.apps.count
            let names =
                unasked.apps.map(ReportText.shown).joined(separator: ", ")
                + (more > 0 ? " and \(more) more" : "")
            let reason =
                asked.isScoped
                ? "the catalog lists other apps only" : "their evidence shows no product of the catalog"
            omissions.append(
                (
                    nil, "Offers of \(ReportText.count(unasked.count, "app")): \(names)",
                    "\(reason) (--catalog APP=FILE)"
                ))
        }
        return omissions
    }

    /// Returns the names that may link evidence of one customer or of several.
    private static func omissions(_ unused: LinkedEvidence.Unused) -> [Omission] {
        var omissions: [Omission] = []
        if unused.tokens > 0 {
            omissions.append(
                (
                    nil, "Customers that \(ReportText.count(unused.tokens, "app account token")) may link",
                    "the evidence with such a token has several app transaction ids, more than \(LinkedEvidence.mostParts) "
                        + "parts or subscriptions of one group at the same time, and may be of several customers"
                ))
        }
        if unused.parts > 0 {
            omissions.append(
                (
                    nil,
                    "The app transaction id of \(ReportText.count(unused.parts, "customer")) without one",
                    "several app transaction ids have the same original transactions"
                ))
        }
        return omissions
    }

    /// The title of a check for revocation that was skipped.
    static let revocation = "Revoked certificates"

    /// Returns the check for revocation, if there was none or the lists do not cover all records.
    private static func revocationOmissions(_ database: Connection) throws -> [Omission] {
        let hasLists = try database.prepare("SELECT 1 FROM revocation_lists").firstRow() != nil
        guard hasLists else { return [(nil, revocation, "no revocation list was given (--crl)")] }
        let uncovered = try RevocationCounts(of: database).noInformation
        guard uncovered > 0 else { return [] }
        let records = ReportText.count(uncovered, "genuine record")
        return [(nil, "\(revocation) of \(records)", "no revocation list shows their status")]
    }

    /// Returns the SQL for the first or last subject, which uses the index of subjects.
    private static func subject(_ order: String) -> String {
        """
        (SELECT subject FROM receipts WHERE status = 'genuine' AND subject IS NOT NULL ORDER BY subject \(order) LIMIT 1)
        """
    }

    /// The reason why checks that compare subjects were skipped.
    static let withoutSubject =
        "no genuine receipt has a subject, the account that presented it (--subject-field)"

    private static let ofSubjects = [
        FindingRule.sharedReceipt, .sharedPurchase, .severalIntroductoryOffers,
    ]

    private static func omissions(_ run: Row, _ counts: GenuineCounts, _ database: Connection) throws
        -> [Omission]
    {
        let genuine = counts.count { _ in true }
        let subjects = counts.count(where: \.hasSubject)
        let hasCatalog = try run["catalog"] as String? != nil
        let hasDevice = try run["device"] as String? != "any"
        let found: [String] = try database.prepare("SELECT DISTINCT kind FROM findings").values()
        var omissions: [Omission] = []
        func omit(_ rules: [FindingRule], _ reason: String) {
            omissions += rules.filter { !found.contains($0.kind) }.map { ($0.kind, $0.title, reason) }
        }
        for field in try JSON.decode([String].self, try run["missing_fields"] ?? "[]") {
            omissions.append(
                (
                    nil, "The values of the field \(ReportText.shown(field))",
                    "no record has a field of that name"
                ))
        }
        if genuine == 0 {
            let rules = FindingRule.all.filter { $0.kind != FindingRule.wrongDevice.kind || hasDevice }
            omit(rules, "no receipt is genuine, and findings are based only on genuine receipts")
        } else if subjects == 0 {
            omit(ofSubjects, Self.withoutSubject)
        } else if subjects < genuine {
            let without = ReportText.count(genuine - subjects)
            omissions.append(
                (
                    nil,
                    "Shared receipts, shared purchases and several introductory offers among \(without) of "
                        + "\(ReportText.count(genuine, "genuine receipt"))",
                    "they have no subject"
                ))
        }
        if try run["isOneSubject"] as Bool? == true {
            omit(
                [.sharedReceipt, .sharedPurchase], "all genuine receipts have one subject (--subject-field)")
        }
        let unjudged: Int = try run["unjudged"]
        if unjudged > 0 {
            omissions.append(
                (
                    nil,
                    "The offers of \(ReportText.count(unjudged, "customer")), based on all receipts of each",
                    "each has more than \(ReportText.count(CustomerSnapshot.limit)) purchases"
                ))
        }
        let bare = try RenewalApps.count(in: database)
        if bare > 0 {
            omissions.append(
                (
                    nil, "The customers of \(ReportText.count(bare, "record")) with renewal information",
                    "it names no app, and no other evidence shows its app"
                ))
        }
        let transactionReceipts = counts.count { $0.kind == "transaction-receipt" }
        let forms = Set(counts.groups.map(\.kind)).intersection(["receipt", "transaction"])
        if genuine > 0, forms.count < 2 {
            omit(
                [.revokedElsewhere],
                "the genuine evidence does not include both receipts and signed transactions"
            )
        }
        if transactionReceipts > 0, transactionReceipts < genuine {
            omissions.append(
                (
                    nil,
                    "Purchases of \(ReportText.count(transactionReceipts, "transaction receipt")) in receipts and signed transactions",
                    "transaction receipts name no environment"
                ))
        }
        if !hasDevice { omit([.wrongDevice], "no device was named (--device-id)") }
        if try run["bundle"] as String? == "any" {
            omissions.append((nil, "Receipts of other apps", "no app was named (--bundle-id)"))
        }
        if !hasCatalog {
            omissions.append(
                (nil, "Who may get which subscription offer", "no catalog was given (--catalog)"))
        }
        if !hasCatalog, subjects > 0 {
            omissions.append(
                (
                    nil, "Several introductory offers across the products of a group",
                    "no catalog was given (--catalog)"
                ))
        }
        let most = counts.mostOfOneAuthority
        if genuine > 0, most < 1000 {
            omissions.append(
                (
                    nil, "Certificates that signed hardly any of the receipts",
                    "this check needs a thousand genuine receipts of one authority, and there are \(most)"
                ))
        }
        let xcode = counts.count(where: \.isXcode)
        if xcode > 0 {
            omissions.append(
                (
                    nil, "Purchases of \(ReportText.count(xcode, "receipt")) of Xcode in other receipts",
                    "every test in Xcode uses the same purchase numbers"
                ))
        }
        return omissions
    }
}

extension AuditDatabase {
    /// The tables that ``outcome()`` reads.
    static let outcomeTables = ["incidents", "not_looked_for"]

    /// Returns the findings and skipped checks of the finished run.
    func outcome() throws(AuditError) -> AuditOutcome {
        try access { database in
            var outcome = AuditOutcome()
            let rows = try database.prepare(
                "SELECT severity, count(*) AS incidents FROM incidents GROUP BY severity"
            ).rows()
            for row in rows {
                switch try row["severity"] as String {
                case "alert": outcome.alerts = try row["incidents"]
                case "warning": outcome.warnings = try row["incidents"]
                default: outcome.notes = try row["incidents"]
                }
            }
            outcome.withoutSubject =
                try database.prepare(
                    "SELECT count(*) FROM not_looked_for WHERE reason = ?", SkippedChecks.withoutSubject
                ).firstValue() ?? 0
            outcome.notLookedFor = try database.prepare(
                "SELECT title, reason FROM not_looked_for ORDER BY id LIMIT 100"
            ).map { AuditOutcome.Omission(title: try $0["title"], reason: try $0["reason"]) }
            let policy: String? = try database.prepare(
                "SELECT json_extract(settings, '$.revocation') FROM runs"
            ).firstValue()
            if policy != RevocationPolicy.off.rawValue {
                outcome.revocation = try RevocationCounts(of: database)
            }
            return outcome
        }
    }
}
