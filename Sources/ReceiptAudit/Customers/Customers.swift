import AppReceipt
import OfferEligibility
import SQLite

/// An evaluation of customers, each with many receipts and other evidence. Only one customer at a time is in
/// memory.
struct Customers {
    private let question: EligibilityQuestion
    private let database: Connection
    private var output: any CustomerOutput
    private var asked: AskedProducts
    private var count: Int64 = 0
    /// The statement that finds listings in responses without objects about a subject's app, or nil if there
    /// are none.
    private var find: Statement?

    /// Passes every customer of the database to `output`, numbered from 1. The customers and their order are
    /// the same each time.
    /// - Returns: The names that do not link evidence.
    @discardableResult
    static func evaluate(
        _ question: EligibilityQuestion, in database: Connection, to output: any CustomerOutput
    ) throws -> LinkedEvidence.Unused {
        var customers = Customers(
            question: question, database: database, output: output,
            asked: try AskedProducts(question.rules.catalog, in: database))
        customers.find = try Self.emptyAnswers(in: database)
        try RenewalApps.nameSubjects(in: database)
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.refusing;
            CREATE TEMP TABLE refusing (subject TEXT PRIMARY KEY) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.refusing SELECT subject FROM receipts
            WHERE refusal_code IS NOT NULL AND subject IS NOT NULL AND bundle_id IS NULL;
            INSERT OR IGNORE INTO temp.refusing \(RenewalApps.subjectsOfSeveralApps)
            """)
        let isOfCustomer =
            customers.asked.isOfWholeCatalog
            ? "(r.bundle_id IS NOT NULL OR \(RenewalApps.isOfSubjectAlone))" : "r.bundle_id IS NOT NULL"
        try customers.evaluateAll(
            of: "r.subject, NULL, NULL, NULL", from: "receipts r",
            where: "r.status <> 'absent' AND r.subject IS NOT NULL AND \(isOfCustomer)",
            orderedBy: "r.subject, r.environment, r.bundle_id, r.realm")
        let unused = try LinkedEvidence(database).unused
        try customers.evaluateAll(
            of: "NULL, e.first, e.part, e.account IS NOT NULL",
            from: "temp.evidence e JOIN receipts r ON r.id = e.id", where: "1", orderedBy: "e.first")
        try LinkedEvidence.drop(in: database)
        try database.execute("DROP TABLE temp.refusing")
        return unused
    }

    /// Evaluates the customers of a query.
    /// - Parameters:
    ///   - key: The columns with the subject, or with the first receipt and the input of ``CustomerLinks``.
    ///   - order: The order that groups the receipts by customer. The newest receipt of each comes first.
    private mutating func evaluateAll(
        of key: String, from source: String, where condition: String, orderedBy order: String
    ) throws {
        let receipts = try database.prepare(
            """
            SELECT \(key), r.environment, r.bundle_id, r.realm, r.id, r.created_at,
                coalesce(r.content_sha256, r.sha256), r.kind,
                CASE WHEN r.subject IS NOT NULL THEN r.listing END,
                EXISTS (SELECT 1 FROM temp.refusing x WHERE x.subject = r.subject),
                CASE WHEN r.subject IS NOT NULL THEN \(LinkedEvidence.account) END
            FROM \(source)
            WHERE \(condition) ORDER BY \(order), r.created_at DESC, r.id
            """)
        let purchases = try database.prepare(
            """
            SELECT \(PurchaseSnapshot.columns.joined(separator: ", ")) FROM transactions
            WHERE receipt_id = ? ORDER BY position
            """)
        let renewals = try database.prepare(
            "SELECT \(RenewalSnapshot.columns.joined(separator: ", ")) FROM renewals WHERE receipt_id = ?")
        var customer: Customer?
        while try receipts.step() {
            let key = Customer.Key(
                subject: receipts.bytes(0), first: receipts.isNull(1) ? nil : receipts.integer(1),
                environment: receipts.bytes(4),
                bundleID: receipts.bytes(5), realm: receipts.bytes(6))
            let id = receipts.integer(7)
            if customer?.key != key || key.environment == nil {
                if let customer { try evaluate(customer) }
                customer = Customer(key)
                customer?.snapshot.anyRefused = receipts.flag(12) == true
                count += 1
            }
            if key.first != nil {
                customer?.links.add(part: receipts.integer(2), hasAccount: receipts.flag(3) == true)
            }
            try output.add(receipt: id, of: count)
            let kind = receipts.text(10) ?? ""
            let isWanted = customer?.snapshot.take(
                receipt: id, kind: kind, createdAt: receipts.date(8), content: receipts.bytes(9),
                listing: receipts.text(11).flatMap { APIAnswer.Listing(rawValue: $0) },
                account: receipts.text(13))
            guard isWanted == true else { continue }
            switch kind {
            case "renewal-info": try read(renewals, of: id) { customer?.snapshot.take(RenewalSnapshot($0)) }
            case "app-transaction", "notification", "realtime-request": break
            default: try read(purchases, of: id) { customer?.snapshot.take(PurchaseSnapshot($0, from: 0)) }
            }
        }
        if let customer { try evaluate(customer) }
    }

    /// Returns the statement for responses without objects, which name their app and environment. They are
    /// not signed, so they have no trust anchor kind.
    private static func emptyAnswers(in database: Connection) throws -> Statement? {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.listed;
            CREATE TEMP TABLE listed (
                subject TEXT, environment TEXT, bundle_id TEXT, listing TEXT,
                PRIMARY KEY (subject, environment, bundle_id, listing)) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.listed SELECT subject, environment, bundle_id, listing FROM receipts
            WHERE status = 'absent' AND listing IS NOT NULL AND subject IS NOT NULL
            """)
        guard try database.prepare("SELECT EXISTS (SELECT 1 FROM temp.listed)").firstValue() == true else {
            return nil
        }
        return try database.prepare(
            "SELECT listing FROM temp.listed WHERE subject = ? AND environment = ? AND bundle_id = ?")
    }

    private func read(
        _ statement: Statement, of receipt: Int64, _ body: (Statement) -> Void
    ) throws {
        try statement.bind(receipt)
        while try statement.step() { body(statement) }
    }

    private mutating func evaluate(_ customer: Customer) throws {
        let products = try asked.products(of: customer)
        var customer = customer
        if let find {
            // NULL equals no value, so missing values find nothing.
            let key = customer.key
            let (subject, environment, app) = (key.subject, key.environment, key.bundleID)
            try find.bind(subject.map(Value.text), environment.map(Value.text), app.map(Value.text))
            for name: String in try find.values() {
                if let listing = APIAnswer.Listing(rawValue: name) { customer.snapshot.take(listing) }
            }
        }
        customer.snapshot.isOfUnlistedApp = products == nil
        guard customer.snapshot.unjudged == nil, let products else {
            return try output.add(customer, number: count, answer: nil)
        }
        let history = customer.history()
        let verdicts = question.rules.verdicts(for: products, in: history, asOf: question.asOf)
        try output.add(customer, number: count, answer: (history, verdicts))
    }
}
