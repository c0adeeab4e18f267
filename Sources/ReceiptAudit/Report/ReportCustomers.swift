import GRDB

/// The offers that customers are eligible for. The verdicts over all receipts of a customer are final, and
/// come before those on single receipts.
struct ReportCustomers {
    /// The eligibility of an app's customers for the offers of a product.
    struct Product {
        let app: String
        let product: String
        let offers: [Offer]
    }

    struct Offer {
        let isFirst: Bool
        let name: String
        let outcomes: [String]
    }

    /// One customer and product.
    struct Line {
        let customer: String
        let app: String
        let product: String
        let offers: [String]
        let state: String
        let receipts: [Link]
        let more: String?
        let differing: String?
    }

    struct Link {
        let anchor: String?
        let number: Int64
    }

    let hasCustomers: Bool
    let count: String
    let several: String
    let products: [Product]
    let moreProducts: String?
    let lines: [Line]
    let moreLines: String?

    init(_ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let counts = try Row.fetchOne(
            database, sql: "SELECT count(*) AS customers, total(receipts > 1) AS several FROM customers")
        let customers: Int = counts?["customers"] ?? 0
        hasCustomers = customers > 0
        count = ReportText.count(customers, "customer")
        several = ReportText.count(Int(counts?["several"] as Double? ?? 0))
        (products, moreProducts) = try Self.products(database, limits)
        lines = try Array(
            Row.fetchCursor(database, sql: Self.answers, arguments: [limits.answers]).map {
                Self.line($0, shown)
            })
        let all = try Int.fetchOne(database, sql: "SELECT count(*) FROM subject_verdicts") ?? 0
        let left = all - lines.count
        moreLines =
            left > 0
            ? """
            \(ReportText.count(lines.count)) of \(ReportText.count(all, "verdict")): first those that differ from the verdict on \
            a single receipt, then those of customers with several receipts. The view answers of the database has all.
            """ : nil
    }

    private static let offers = [
        ("introductory", "Introductory"), ("promotional", "Promotional"), ("win_back", "Win-back"),
    ]
    private static let outcomes = ["eligible", "ineligible", "undetermined"]

    private static func products(
        _ database: Database, _ limits: Report.Limits
    ) throws -> (shown: [Product], more: String?) {
        let sums = offers.flatMap { offer, _ in
            outcomes.map { "sum(v.\(offer)_outcome = '\($0)') AS \(offer)_\($0)" }
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT c.bundle_id, c.environment, v.product_id, \(sums.joined(separator: ", "))
                FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id
                GROUP BY 1, 2, 3
                ORDER BY sum(v.state NOT IN ('never_subscribed', 'unknown')) DESC, count(*) DESC, 1, 2, 3
                """)
        var products: [Product] = []
        var left = 0
        while let row = try rows.next() {
            guard products.count < limits.productsOfCustomers else {
                left += 1
                continue
            }
            products.append(
                Product(
                    app: app(row), product: row.text("product_id") ?? "",
                    offers: offers.enumerated().map { number, offer in
                        Offer(
                            isFirst: number == 0, name: offer.1,
                            outcomes: outcomes.map { ReportText.count(row["\(offer.0)_\($0)"]) })
                    }))
        }
        let more = left > 0 ? "\(ReportText.count(left)) more are in the database, in the view answers." : nil
        return (products, more)
    }

    /// The verdicts on customers. If a customer has only one receipt, no verdict can differ.
    private static let answers = """
        SELECT v.*, c.subject, c.environment, c.bundle_id, c.receipts AS presented, c.linked_by,
            CASE WHEN c.receipts > 1 THEN (
                SELECT count(*) FROM main.customer_receipts r
                JOIN main.verdicts o ON o.receipt_id = r.receipt_id AND o.product_id = v.product_id
                WHERE r.customer_id = v.customer_id AND
                    (o.introductory_outcome, o.promotional_outcome, o.win_back_outcome)
                    <> (v.introductory_outcome, v.promotional_outcome, v.win_back_outcome)) ELSE 0 END AS differing
        FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id
        ORDER BY differing = 0, c.receipts = 1, v.customer_id, v.product_id LIMIT ?
        """

    private static func line(_ row: Row, _ shown: ShownReceipts) -> Line {
        let (id, presented, differing): (Int64, Int, Int) = (
            row["customer_id"], row["presented"], row["differing"]
        )
        let numbers = (row["receipts"] as String).split(separator: ",").compactMap { Int64($0) }
        let linked = numbers.prefix(linksOfAnAnswer)
        let left = numbers.count - linked.count
        return Line(
            customer: row.text("subject") ?? "Customer \(id), no subject\(links(row))", app: app(row),
            product: row.text("product_id") ?? "",
            offers: offers.map { row.answer($0.0) }, state: row.state,
            receipts: linked.map { Link(anchor: shown.anchor(of: $0), number: $0) },
            more: left > 0 ? "and \(ReportText.count(left)) more" : nil,
            differing: differing > 0
                ? "\(ReportText.count(differing)) of \(ReportText.count(presented, "receipt")) alone \(differing == 1 ? "differs" : "differ")"
                : presented > 1 ? "of \(ReportText.count(presented, "receipt"))" : nil)
    }

    private static let linksOfAnAnswer = 5

    /// Returns the names that link the receipts of a customer without a subject.
    private static func links(_ row: Row) -> String {
        let names = (row["linked_by"] as String? ?? "").replacing("_", with: " ")
        return names.isEmpty ? "" : ", linked by \(names.replacing(",", with: ", "))"
    }

    private static func app(_ row: Row) -> String {
        "\(row.text("bundle_id") ?? "app not named"), \(row["environment"] ?? "environment not named")"
    }
}

extension Row {
    /// Returns the outcome, rule and certainty of an offer from a row of verdicts.
    func answer(_ offer: String) -> String {
        let certainty = (self["\(offer)_certainty"] as String?).map { ", " + $0.replacing("_", with: " ") }
        return "\(self["\(offer)_outcome"] as String): \(self["\(offer)_rule"] as String)\(certainty ?? "")"
    }

    /// The state of the subscription from a row of verdicts.
    var state: String {
        let dates = [("since", "state_since"), ("until", "state_until")].compactMap { word, column in
            date(column).map { "\(word) \($0)" }
        }
        return ([(self["state"] as String).replacing("_", with: " ")] + dates).joined(separator: ", ")
    }
}
