import AppReceipt
import GRDB
import OfferEligibility

/// Says what was not looked for, and why: what is missing from the findings for want of something to look at must not
/// pass for absent.
enum NotLookedFor {
    private typealias Omission = (kind: String?, title: String, reason: String)

    static func insert(into database: Database, emptySources: [String] = []) throws {
        guard let run = try Row.fetchOne(database, sql: run) else { return }
        let nothing = emptySources.map { source -> Omission in
            (nil, "Whatever \(ReportText.shown(source)) was to hold", "the source holds no records")
        }
        for omission in try nothing + omissions(run, database) {
            try database.execute(
                sql: "INSERT INTO not_looked_for (kind, title, reason) VALUES (?, ?, ?)",
                arguments: [omission.kind, omission.title, omission.reason])
        }
    }

    private static let run = """
        SELECT json_extract(settings, '$."device-id"') AS device,
            json_extract(settings, '$."bundle-id"') AS bundle, catalog_sha256 AS catalog,
            missing_fields, genuine, seen.*
        FROM runs, (
            SELECT count(subject) AS subjects, \(subject("ASC")) = \(subject("DESC")) AS isOneSubject,
                (SELECT count(*) FROM customers WHERE unjudged <> '\(KeptCustomer.tellingOfNone)') AS unjudged,
                (SELECT count(*) FROM customers WHERE unjudged = '\(KeptCustomer.tellingOfNone)') AS untold,
                \(count("environment IN ('Xcode', 'LocalTesting')")) AS xcode,
                \(forms) AS forms,
                \(count("kind = 'renewal-info' AND bundle_id IS NULL")) AS bare,
                \(count("kind = 'transaction-receipt'")) AS transactionReceipts
            FROM receipts WHERE status = 'genuine') seen
        """

    /// A filter takes a third of the time of a sum over all rows.
    private static func count(_ condition: String) -> String { "count(*) FILTER (WHERE \(condition))" }

    /// The first or the last of the subjects, of their index.
    private static func subject(_ order: String) -> String {
        """
        (SELECT subject FROM receipts WHERE status = 'genuine' AND subject IS NOT NULL ORDER BY subject \(order) LIMIT 1)
        """
    }

    /// Of what names its environment.
    private static let forms = ["receipt", "transaction"].map {
        "(\(count("kind = '\($0)'")) > 0)"
    }.joined(separator: " + ")

    /// How many receipts one authority signed at most, by realm and by what signs.
    private static let most = """
        SELECT coalesce(max(receipts), 0) FROM (SELECT count(*) AS receipts FROM receipts WHERE status = 'genuine'
            GROUP BY realm, coalesce(kind, '') IN (\(FindingRule.ofJWS)))
        """

    /// Of each realm what signs receipts, and what signs JWS.
    private static let authorities = 2 * TrustRealm.allCases.count

    private static let ofSubjects = [
        FindingRule.sharedReceipt, .sharedPurchase, .severalIntroductoryOffers,
    ]

    private static func omissions(_ run: Row, _ database: Database) throws -> [Omission] {
        let (genuine, subjects): (Int, Int) = (run["genuine"], run["subjects"])
        let (hasCatalog, hasDevice) = (run["catalog"] != nil, run["device"] != "any")
        let found = try String.fetchSet(database, sql: "SELECT DISTINCT kind FROM findings")
        var omissions: [Omission] = []
        func omit(_ rules: [FindingRule], _ reason: String) {
            omissions += rules.filter { !found.contains($0.kind) }.map { ($0.kind, $0.title, reason) }
        }
        for field in try JSON.decode([String].self, run["missing_fields"] ?? "[]") {
            omissions.append(
                (
                    nil, "What the field \(ReportText.shown(field)) says, which was named",
                    "no record has a field of that name"
                ))
        }
        if genuine == 0 {
            let rules = FindingRule.all.filter { $0.kind != FindingRule.wrongDevice.kind || hasDevice }
            omit(rules, "no receipt is genuine, and findings rest on genuine ones alone")
        } else if subjects == 0 {
            omit(
                ofSubjects,
                "no genuine receipt has a subject, the account that presented it (--subject-field)")
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
        if run["isOneSubject"] as Bool? == true {
            omit(
                [.sharedReceipt, .sharedPurchase], "all genuine receipts have one subject (--subject-field)")
        }
        let unjudged: Int = run["unjudged"]
        if unjudged > 0 {
            omissions.append(
                (
                    nil, "Which offers \(ReportText.count(unjudged, "customer")) may get over all receipts",
                    "each has more than \(ReportText.count(KeptCustomer.limit)) purchases"
                ))
        }
        let untold: Int = run["untold"]
        if untold > 0 {
            omissions.append(
                (
                    nil, "Which offers \(ReportText.count(untold, "customer")) may get",
                    "nothing of theirs tells of purchases: no receipt, no transaction"
                ))
        }
        let bare: Int = run["bare"]
        if bare > 0 {
            omissions.append(
                (
                    nil, "Whom \(ReportText.count(bare, "piece")) of renewal information concern",
                    "they name no app, and no transaction beside them is of their subscription"
                ))
        }
        if genuine > 0, (run["forms"] as Int) < 2 {
            omit(
                [.revokedElsewhere],
                "all that tells of purchases and their environment is of one form: receipts or signed transactions"
            )
        }
        let transactionReceipts: Int = run["transactionReceipts"]
        if transactionReceipts > 0, transactionReceipts < genuine {
            omissions.append(
                (
                    nil,
                    "Purchases of \(ReportText.count(transactionReceipts, "transaction receipt")) in receipts and signed transactions",
                    "transaction receipts name no environment"
                ))
        }
        if !hasDevice { omit([.wrongDevice], "no device was named (--device-id)") }
        if run["bundle"] == "any" {
            omissions.append((nil, "Receipts of other apps", "no app was named (--bundle-id)"))
        }
        if !hasCatalog {
            omissions.append(
                (nil, "Who may get which subscription offer", "no catalogue was given (--catalog)"))
        }
        if !hasCatalog, subjects > 0 {
            omissions.append(
                (
                    nil, "Several introductory offers across the products of a group",
                    "no catalogue was given (--catalog)"
                ))
        }
        // Of so many one has a thousand, and to look at all of them would take as long as all else here.
        if genuine > 0, genuine <= 999 * authorities, let most = try Int.fetchOne(database, sql: most),
            most < 1000
        {
            omissions.append(
                (
                    nil, "Certificates that signed hardly any of the receipts",
                    "that takes a thousand genuine receipts of one authority, and there are \(most)"
                ))
        }
        if let xcode = run["xcode"] as Int?, xcode > 0 {
            omissions.append(
                (
                    nil, "Purchases of \(ReportText.count(xcode, "receipt")) of Xcode in other receipts",
                    "every test in Xcode numbers its purchases anew"
                ))
        }
        return omissions
    }
}

extension AuditDatabase {
    /// What ``outcome()`` is made of.
    static let outcomeTables = ["incidents", "not_looked_for"]

    /// What the finished run found, and did not look for.
    func outcome() throws(AuditError) -> AuditOutcome {
        try access { database in
            var outcome = AuditOutcome()
            let rows = try Row.fetchAll(
                database, sql: "SELECT severity, count(*) AS incidents FROM incidents GROUP BY severity")
            for row in rows {
                switch row["severity"] as String {
                case "alert": outcome.alerts = row["incidents"]
                case "warning": outcome.warnings = row["incidents"]
                default: outcome.notes = row["incidents"]
                }
            }
            outcome.notLookedFor = try Row.fetchAll(
                database, sql: "SELECT title, reason FROM not_looked_for ORDER BY id LIMIT 100"
            ).map { AuditOutcome.Omission(title: $0["title"], reason: $0["reason"]) }
            return outcome
        }
    }
}
