import OfferEligibility
import SQLite

/// The products in question for the customers of each app.
///
/// If the catalog is not scoped and the evidence covers several apps, these are the catalog's products that
/// the app's genuine evidence shows. The table `temp.shown` contains only them, so other products in an
/// export do not enlarge it.
struct AskedProducts {
    private let catalog: SubscriptionCatalog
    private let find: Statement?
    private var last: (app: [UInt8]?, products: [String])?

    private static let purchaseKinds = "('receipt', 'transaction', 'transaction-receipt')"

    init(_ catalog: SubscriptionCatalog, in database: Connection) throws {
        self.catalog = catalog
        let apps = """
            SELECT count(*) FROM (SELECT DISTINCT bundle_id FROM receipts
                WHERE status = 'genuine' AND (bundle_id IS NOT NULL OR kind IN \(Self.purchaseKinds)) LIMIT 2)
            """
        guard catalog.apps == nil, !catalog.productIDs.isEmpty, try database.prepare(apps).firstValue() == 2
        else {
            find = nil
            return
        }
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.catalog;
            CREATE TEMP TABLE catalog (product_id TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID;
            DROP TABLE IF EXISTS temp.shown
            """)
        let insert = try database.prepare("INSERT INTO temp.catalog VALUES (?, ?)")
        for (place, product) in catalog.productIDs.enumerated() {
            try insert.bind(product, place).execute()
        }
        try database.execute(
            """
            CREATE TEMP TABLE shown AS SELECT DISTINCT r.bundle_id, c.product_id, c.place
            FROM transactions t CROSS JOIN temp.catalog c ON c.product_id = t.product_id
                CROSS JOIN receipts r ON r.id = t.receipt_id WHERE r.status = 'genuine';
            CREATE INDEX temp.shown_by_app ON shown (bundle_id, product_id)
            """)
        find = try database.prepare("SELECT place FROM temp.shown WHERE bundle_id IS ? ORDER BY place")
    }

    /// Whether the question for each app covers all products that the catalog has for it, regardless of its evidence. For an
    /// unknown app, these are all products of a catalog that is not scoped, and none of a scoped one.
    var isOfWholeCatalog: Bool { find == nil }

    /// Whether the catalog assigns each product to an app.
    var isScoped: Bool { catalog.apps != nil }

    /// Returns the products in question for a customer of the app, or nil if a scoped catalog does not list
    /// the app.
    mutating func products(of customer: Customer) throws -> [String]? {
        guard let find else { return catalog.scope(of: customer.text(\.bundleID))?.productIDs }
        let app = customer.key.bundleID
        if let last, last.app == app { return last.products }
        let products = try (find.bind(app.map(Value.text)).values() as [Int]).map { catalog.productIDs[$0] }
        last = (app, products)
        return products
    }

    /// Removes verdicts of single receipts and transactions on other products. They were made before all apps
    /// were known.
    func restrictVerdicts(in database: Connection) throws {
        guard find != nil else { return }
        try database.execute(
            """
            DELETE FROM verdicts WHERE NOT EXISTS (
                SELECT 1 FROM temp.shown s JOIN receipts r ON r.bundle_id IS s.bundle_id
                WHERE r.id = verdicts.receipt_id AND s.product_id = verdicts.product_id)
            """)
    }

    /// Returns the products that no genuine evidence shows, if the products are restricted by app.
    func unshown(in database: Connection) throws -> [String] {
        guard find != nil else { return [] }
        return try database.prepare(
            """
            SELECT product_id FROM temp.catalog WHERE place NOT IN (SELECT place FROM temp.shown) ORDER BY place
            """
        ).values()
    }

    /// Returns the apps of genuine evidence that have no product in question: the first names, and the total
    /// number. Either a scoped catalog does not list them, or their evidence shows none of the catalog's
    /// products.
    func unasked(in database: Connection) throws -> (apps: [String], count: Int) {
        guard catalog.apps != nil || find != nil else { return ([], 0) }
        let listed = catalog.apps.map { Set($0.map { Array($0.utf8) }) }
        let isShown = "EXISTS (SELECT 1 FROM temp.shown s WHERE s.bundle_id IS r.bundle_id)"
        var (apps, count): ([String], Int) = ([], 0)
        try database.prepare(
            """
            SELECT DISTINCT bundle_id FROM receipts r WHERE status = 'genuine'
                AND (bundle_id IS NOT NULL OR kind IN \(Self.purchaseKinds))
                \(find == nil ? "" : "AND NOT \(isShown)") ORDER BY bundle_id
            """
        ).forEach { row in
            let app: String? = try row["bundle_id"]
            guard app.map({ listed?.contains(Array($0.utf8)) }) != true else { return }
            count += 1
            if apps.count < 10 { apps.append(app ?? "evidence without a bundle id") }
        }
        return (apps, count)
    }
}
