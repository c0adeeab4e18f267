import SQLite

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
    struct CustomerLine {
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
    let lines: [CustomerLine]
    let moreLines: String?

    init(_ database: Connection, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let counts = try database.prepare(
            "SELECT count(*) AS customers, count(*) FILTER (WHERE receipts > 1) AS several FROM customers"
        ).firstRow()
        let customers: Int = try counts?["customers"] ?? 0
        hasCustomers = customers > 0
        count = ReportText.count(customers, "customer")
        several = ReportText.count(try counts?["several"] ?? 0)
        (products, moreProducts) = try Self.products(database, limits)
        lines = try database.prepare(Self.answers, limits.answers).map { try Self.line($0, shown) }
        let all = try database.prepare("SELECT count(*) FROM subject_verdicts").firstValue() ?? 0
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
        _ database: Connection, _ limits: Report.Limits
    ) throws -> (shown: [Product], more: String?) {
        let sums = offers.flatMap { offer, _ in
            outcomes.map { "sum(v.\(offer)_outcome = '\($0)') AS \(offer)_\($0)" }
        }
        let rows = try database.prepare(
            """
            SELECT c.bundle_id, c.environment, v.product_id, \(sums.joined(separator: ", "))
            FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id
            GROUP BY 1, 2, 3
            ORDER BY sum(v.state NOT IN ('never_subscribed', 'unknown')) DESC, count(*) DESC, 1, 2, 3
            """)
        var products: [Product] = []
        var left = 0
        while let row = try rows.nextRow() {
            guard products.count < limits.productsOfCustomers else {
                left += 1
                continue
            }
            products.append(
                Product(
                    app: try app(row), product: try row.text("product_id") ?? "",
                    offers: try offers.enumerated().map { number, offer in
                        Offer(
                            isFirst: number == 0, name: offer.1,
                            outcomes: try outcomes.map { ReportText.count(try row["\(offer.0)_\($0)"]) })
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

    private static func line(_ row: Row, _ shown: ShownReceipts) throws -> CustomerLine {
        let (id, presented, differing): (Int64, Int, Int) = try (
            row["customer_id"], row["presented"], row["differing"]
        )
        let numbers = try (row["receipts"] as String).split(separator: ",").compactMap { Int64($0) }
        let linked = numbers.prefix(linksOfAnAnswer)
        let left = numbers.count - linked.count
        return try CustomerLine(
            customer: row.text("subject") ?? "Customer \(id), no subject\(links(row))", app: app(row),
            product: row.text("product_id") ?? "",
            offers: offers.map { try row.answer($0.0) }, state: row.state(),
            receipts: linked.map { Link(anchor: shown.anchor(of: $0), number: $0) },
            more: left > 0 ? "and \(ReportText.count(left)) more" : nil,
            differing: differing > 0
                ? "\(ReportText.count(differing)) of \(ReportText.count(presented, "receipt")) alone \(differing == 1 ? "differs" : "differ")"
                : presented > 1 ? "of \(ReportText.count(presented, "receipt"))" : nil)
    }

    private static let linksOfAnAnswer = 5

    /// Returns the names that link the receipts of a customer without a subject.
    private static func links(_ row: Row) throws -> String {
        let names = try (row["linked_by"] as String? ?? "").replacing("_", with: " ")
        return names.isEmpty ? "" : ", linked by \(names.replacing(",", with: ", "))"
    }

    private static func app(_ row: Row) throws -> String {
        try "\(row.text("bundle_id") ?? "app not named"), \(row["environment"] ?? "environment not named")"
    }
}

extension Row {
    /// Returns the outcome, rule and certainty of an offer from a row of verdicts.
    func answer(_ offer: String) throws -> String {
        let certainty = try (self["\(offer)_certainty"] as String?).map {
            ", " + $0.replacing("_", with: " ")
        }
        return try
            "\(self["\(offer)_outcome"] as String): \(self["\(offer)_rule"] as String)\(certainty ?? "")"
    }

    /// Returns the state of the subscription from a row of verdicts.
    func state() throws -> String {
        let dates = try [("since", "state_since"), ("until", "state_until")].compactMap { word, column in
            try date(column).map { "\(word) \($0)" }
        }
        return try ([(self["state"] as String).replacing("_", with: " ")] + dates).joined(separator: ", ")
    }
}
