import AppReceipt
import OfferEligibility
import RecordSources
import SQLite

/// The record of which checks were skipped and why. A check that was skipped must not be mistaken for one
/// that found nothing.
struct SkippedChecks {
    private let database: Connection
    /// Whether only kinds of findings are inserted, in place of those that are listed.
    var isOfKinds = false

    static func insert(
        genuine: GenuineCounts, asked: AskedProducts?, unused: LinkedEvidence.Unused = .init(),
        emptySources: [String] = [], unreadFields: [String] = [], into database: Connection
    ) throws {
        guard let run = try database.prepare(run).firstRow() else { return }
        let skipped = SkippedChecks(database: database)
        for source in emptySources {
            try skipped.add("The records of \(ReportText.shown(source))", emptySource)
        }
        for fields in unreadFields {
            try skipped.add(ReportText.shown(fields), unreadField)
        }
        try skipped.addFindings(run, genuine)
        if let asked { try skipped.addOffers(asked) }
        try skipped.addLinks(unused)
        // The last one, so that it does not change the numbers of the others.
        try skipped.addRevocation()
    }

    /// Inserts the kinds of findings that were checked, but cannot occur in the records that remain.
    static func insertKinds(genuine: GenuineCounts, into database: Connection) throws {
        guard let run = try database.prepare(run).firstRow() else { return }
        try SkippedChecks(database: database, isOfKinds: true).addFindings(run, genuine)
    }

    /// The reasons of sources and fields that were not read.
    static let emptySource = "the source holds no records"
    static let unreadField = "another field has receipts too, and only that one was read"

    /// Inserts a check.
    /// - Parameter kind: The kind of finding, if all checks of that kind were skipped.
    private func add(_ title: String, _ reason: String, kind: String? = nil) throws {
        if isOfKinds {
            guard let kind else { return }
            try database.prepare("DELETE FROM not_looked_for WHERE kind = ?", kind).execute()
        }
        try database.prepare(
            "INSERT INTO not_looked_for (kind, title, reason) VALUES (?, ?, ?)", kind, title, reason
        ).execute()
    }

    private static let run = """
        SELECT json_extract(settings, '$."device-id"') AS device,
            json_extract(settings, '$."bundle-id"') AS bundle, catalog_sha256 AS catalog, missing_fields,
            \(subject("ASC")) = \(subject("DESC")) AS isOneSubject,
            (SELECT count(*) FROM customers WHERE unjudged = '\(CustomerSnapshot.isTooLongBecause)') AS unjudged,
            (SELECT count(*) FROM customers WHERE unjudged = '\(CustomerSnapshot.ofSeveralAccounts)') AS several_accounts
        FROM runs
        """

    /// Returns the SQL for the first or last subject, which uses the index of subjects.
    private static func subject(_ order: String) -> String {
        """
        (SELECT subject FROM receipts WHERE status = 'genuine' AND subject IS NOT NULL ORDER BY subject \(order) LIMIT 1)
        """
    }

    /// Inserts the products and apps that no question covers. A scoped catalog that lists them would cover
    /// them.
    private func addOffers(_ asked: AskedProducts) throws {
        let unshown = try asked.unshown(in: database)
        if !unshown.isEmpty {
            let names = unshown.map(ReportText.shown).joined(separator: ", ")
            try add(
                "Offers of \(ReportText.count(unshown.count, "product")): \(names)",
                "the evidence is of several apps and shows no purchase of these products, and the catalog does not "
                    + "assign them to apps (--catalog APP=FILE)")
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
            try add(
                "Offers of \(ReportText.count(unasked.count, "app")): \(names)",
                "\(reason) (--catalog APP=FILE)")
        }
    }

    /// Inserts the names that may link evidence of one customer or of several.
    private func addLinks(_ unused: LinkedEvidence.Unused) throws {
        if unused.tokens > 0 {
            try add(
                "Customers that \(ReportText.count(unused.tokens, "app account token")) may link",
                "the evidence with such a token has several app transaction ids, more than \(LinkedEvidence.mostParts) "
                    + "parts or subscriptions of one group at the same time, and may be of several customers")
        }
        if unused.parts > 0 {
            try add(
                "The app transaction id of \(ReportText.count(unused.parts, "customer")) without one",
                "several app transaction ids have the same original transactions")
        }
    }

    /// The title of a check for revocation that was skipped.
    static let revocation = "Revoked certificates"

    /// Inserts the check for revocation, if there was none or the lists do not cover all records.
    private func addRevocation() throws {
        guard try database.prepare("SELECT 1 FROM revocation_lists").firstRow() != nil else {
            return try add(Self.revocation, "no revocation list was given (--crl)")
        }
        let uncovered = try RevocationCounts(of: database).noInformation
        guard uncovered > 0 else { return }
        try add(
            "\(Self.revocation) of \(ReportText.count(uncovered, "genuine record"))",
            "no revocation list shows their status")
    }

    /// The reason why checks that compare subjects were skipped.
    static let withoutSubject =
        "no genuine receipt has a subject, the account that presented it (--subject-field)"

    private func addFindings(_ run: Row, _ counts: GenuineCounts) throws {
        let genuine = counts.count { _ in true }
        let subjects = counts.count(where: \.hasSubject)
        let hasCatalog = try run["catalog"] as String? != nil
        let hasDevice = try run["device"] as String? != "any"
        let found: [String] = try database.prepare("SELECT DISTINCT kind FROM findings").values()
        func omit(_ kinds: [String], _ reason: String) throws {
            for rule in FindingRule.all where kinds.contains(rule.kind) && !found.contains(rule.kind) {
                try add(rule.title, reason, kind: rule.kind)
            }
        }
        let ofSubjects = ["shared-receipt", "shared-purchase", "several-introductory-offers"]
        for field in try StoredJSON.decode([String].self, try run["missing_fields"] ?? "[]") {
            try add(
                "The values of the field \(ReportText.shown(field))", "no record has a field of that name")
        }
        if genuine == 0 {
            try omit(
                FindingRule.all.map(\.kind).filter { $0 != "wrong-device" || hasDevice },
                "no receipt is genuine, and findings are based only on genuine receipts")
        } else if subjects == 0 {
            try omit(ofSubjects, Self.withoutSubject)
        } else if subjects < genuine {
            let without = ReportText.count(genuine - subjects)
            try add(
                "Shared receipts, shared purchases and several introductory offers among \(without) of "
                    + "\(ReportText.count(genuine, "genuine receipt"))", "they have no subject")
        }
        if try run["isOneSubject"] as Bool? == true {
            try omit(
                ["shared-receipt", "shared-purchase"],
                "all genuine receipts have one subject (--subject-field)")
        }
        let unjudged: Int = try run["unjudged"]
        if unjudged > 0 {
            try add(
                "The offers of \(ReportText.count(unjudged, "customer")), based on all receipts of each",
                "each has more than \(ReportText.count(CustomerSnapshot.limit)) purchases")
        }
        let severalAccounts: Int = try run["several_accounts"]
        if severalAccounts > 0 {
            try add(
                "The offers of \(ReportText.count(severalAccounts, "customer")), based on all evidence of each",
                "the evidence of each is of several Apple Accounts (app_transaction_id differs)")
        }
        let bare = try RenewalApps.count(in: database)
        if bare > 0 {
            try add(
                "The customers of \(ReportText.count(bare, "record")) with renewal information",
                "it names no app, and no other evidence shows its app")
        }
        let transactionReceipts = counts.count { $0.kind == "transaction-receipt" }
        let forms = Set(counts.groups.map(\.kind)).intersection(["receipt", "transaction"])
        if genuine > 0, forms.count < 2 {
            try omit(
                ["revoked-elsewhere"],
                "the genuine evidence does not include both receipts and signed transactions")
        }
        if transactionReceipts > 0, transactionReceipts < genuine {
            try add(
                "Purchases of \(ReportText.count(transactionReceipts, "transaction receipt")) in receipts and signed transactions",
                "transaction receipts name no environment")
        }
        if !hasDevice { try omit(["wrong-device"], "no device was named (--device-id)") }
        if try run["bundle"] as String? == "any" {
            try add("Receipts of other apps", "no app was named (--bundle-id)")
        }
        if !hasCatalog {
            try add("Who may get which subscription offer", "no catalog was given (--catalog)")
        }
        if !hasCatalog, subjects > 0 {
            try add(
                "Several introductory offers across the products of a group",
                "no catalog was given (--catalog)")
        }
        let most = counts.mostOfOneAuthority
        if genuine > 0, most < 1000 {
            try add(
                "Certificates that signed hardly any of the receipts",
                "this check needs a thousand genuine receipts of one authority, and there are \(most)")
        }
        let xcode = counts.count(where: \.isXcode)
        if xcode > 0 {
            try add(
                "Purchases of \(ReportText.count(xcode, "receipt")) of Xcode in other receipts",
                "every test in Xcode uses the same purchase numbers")
        }
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
